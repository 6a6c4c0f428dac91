// Room: workers. Entry of the ha thread.

import { workerMain } from './worker-main.js';

workerMain('ha');

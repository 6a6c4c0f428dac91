// Room: workers. Entry of the flush thread.

import { workerMain } from './worker-main.js';

workerMain('flush');

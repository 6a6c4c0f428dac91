// Room: workers. Entry of the commitlog thread.

import { workerMain } from './worker-main.js';

workerMain('commitlog');

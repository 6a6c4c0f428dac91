// Room: workers. Entry of the dispatch thread.

import { workerMain } from './worker-main.js';

workerMain('dispatch');

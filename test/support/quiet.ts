// Runs before each test file: the log is silent unless COMETMQ_TEST_LOG names a level, so that what a test run prints is its result.
// A test that looks at the log sets the level itself. Threads of the store log at their own level.

import { type LogLevel, setLogLevel } from '../../src/base/logger.js';

setLogLevel((process.env['COMETMQ_TEST_LOG'] ?? 'silent') as LogLevel);

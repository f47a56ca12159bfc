// Node requires it in every process of npm test, before anything else. The processes of tests live for seconds, in
// which V8 spends a fifth of their time on optimising functions that are hardly used: here it waits seven times as
// long until it takes a function for hot.
require('node:v8').setFlagsFromString('--interrupt-budget=500000')

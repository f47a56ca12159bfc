// The executor's library makes its logger when it is imported, with a level from the environment, and takes no other.
process.env.LOG_LEVEL = 'error'

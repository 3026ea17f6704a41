"""The store: matches in Redis, one script a commit, and the private redis-server that comes with the referee."""

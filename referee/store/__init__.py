"""The store: matches in Redis, one script a commit, and a private redis-server."""

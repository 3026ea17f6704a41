-- Gives out matches that are due a look, each to one process at a time.
--
-- KEYS[1] due (sorted set)
-- ARGV[1] now, ms     ARGV[2] until when nobody else is given them, ms     ARGV[3] how many at most
--
-- Replies: match ids
--
-- Whoever takes them notes when to look next. If it dies instead, they are due again when the hold is over.
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], ARGV[2], id)
end
return ids

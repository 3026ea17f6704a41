-- Says that a process can serve now, and notes an outage if none could for a while.
--
-- KEYS[1] last pulse (string)   KEYS[2] outages (sorted set of "start:end", by end)
-- ARGV[1] now, ms               ARGV[2] silence that is an outage, ms
-- ARGV[3] outages that ended later are wanted, ms
-- ARGV[4] outages that ended earlier are forgotten, ms
--
-- Replies: outages, oldest first
local last = redis.call('GET', KEYS[1])
local now = tonumber(ARGV[1])
if last and now - tonumber(last) > tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], ARGV[1], last .. ':' .. ARGV[1])
end
if not last or now > tonumber(last) then
  redis.call('SET', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], '+inf')

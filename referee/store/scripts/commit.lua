-- Commits one event of one match, if the match is still at the version that the caller decided on.
--
-- KEYS[1] match (hash)   KEYS[2] events (list)   KEYS[3] requests (hash)   KEYS[4] channel
-- ARGV[1] expected version, 0 for a new match     ARGV[2] new version
-- ARGV[3] state bytes      ARGV[4] head bytes, empty when the head has not changed
-- ARGV[5] event bytes      ARGV[6] time to live, ms
-- ARGV[7] request key, empty for none             ARGV[8] fingerprint of the request
-- ARGV[9] mark of the expected version, empty for a new match      ARGV[10] mark of the new version
--
-- Replies: {"ok"}
--          {"conflict"}                           the match is at another version; nothing was stored
--          {"seen", fingerprint, event bytes}     the request was committed before; nothing was stored
--
-- The request is looked up before the version: a retry comes when the version has moved on, and by its own doing.
-- Publishing comes last: what is published has been stored. The version stands before the event, so that whoever knows
-- it already need not decode it.
local request = ARGV[7]
if request ~= '' then
  local seen = redis.call('HGET', KEYS[3], request)
  if seen then
    local version, fingerprint = string.match(seen, '^(%d+):(.*)$')
    return {'seen', fingerprint, redis.call('LINDEX', KEYS[2], tonumber(version) - 1)}
  end
end
local at = redis.call('HMGET', KEYS[1], 'version', 'mark')
if (at[1] or '0') ~= ARGV[1] or (at[2] or '') ~= ARGV[9] then
  return {'conflict'}
end
if ARGV[4] == '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'mark', ARGV[10], 'state', ARGV[3])
else
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'mark', ARGV[10], 'state', ARGV[3], 'head', ARGV[4])
end
redis.call('RPUSH', KEYS[2], ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
if request ~= '' then
  redis.call('HSET', KEYS[3], request, ARGV[2] .. ':' .. ARGV[8])
end
redis.call('PEXPIRE', KEYS[3], ARGV[6])
redis.call('SPUBLISH', KEYS[4], ARGV[2] .. ':' .. ARGV[5])
return {'ok'}

-- Reads one match, unless the caller has it already; and says what a request became.
--
-- KEYS[1] match (hash)   KEYS[2] events (list)   KEYS[3] requests (hash)
-- ARGV[1] version that the caller has, 0 for none
-- ARGV[2] request key, empty for none
--
-- Replies: {"missing"}
--          {"seen", fingerprint, event bytes}     the request was committed before
--          {"same"}                               the match is at the caller's version
--          {"match", head bytes, state bytes}
local version = redis.call('HGET', KEYS[1], 'version')
if not version then
  return {'missing'}
end
if ARGV[2] ~= '' then
  local seen = redis.call('HGET', KEYS[3], ARGV[2])
  if seen then
    local at, fingerprint = string.match(seen, '^(%d+):(.*)$')
    return {'seen', fingerprint, redis.call('LINDEX', KEYS[2], tonumber(at) - 1)}
  end
end
if version == ARGV[1] then
  return {'same'}
end
local fields = redis.call('HMGET', KEYS[1], 'head', 'state')
return {'match', fields[1], fields[2]}

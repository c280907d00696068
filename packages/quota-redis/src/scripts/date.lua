-- Dates the keys that exist and have no deadline.
-- KEYS  the keys.
-- ARGV  one deadline in epoch ms per key.
-- Reply how many were dated.
local dated = 0
for i = 1, #KEYS do
  if redis.call('PTTL', KEYS[i]) == -1 then dated = dated + redis.call('PEXPIREAT', KEYS[i], ARGV[i]) end
end
return dated

-- Corrects an unbounded increment that went over the limit: takes it back and draws again within the limit, in one step.
-- KEYS  the counter.
-- ARGV  amount that was added, unit, limit, deadline in epoch ms.
-- Reply granted, total.
local call = redis.call
-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

local key = KEYS[1]
local added, unit, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
-- Taken back before it is looked at: a total beyond 2^53 is read wrongly by one.
local before = call('DECRBY', key, ARGV[1])
-- The counter may have vanished meanwhile, and what was added with it: then there was nothing to take back.
local vanished = math.max(0, -before)
before = before + vanished
local room = limit - before
local granted = 0
if room >= unit then granted = math.min(added, room - room % unit) end
local change = vanished + granted
if change ~= 0 then call('INCRBY', key, string.format('%.0f', change)) end
if call('PTTL', key) == -1 then call('PEXPIREAT', key, ARGV[4]) end
return { exact(granted), exact(before + granted) }

-- As take.lua, for the usual batch: counters that were all seen with their deadline, far enough from it and from the limit, and
-- one draw for most of them. Halves what a counter costs, since nothing but its key travels and one command is run for it.
-- KEYS  the counters; one may occur more than once.
-- ARGV  amount, unit, limit, deadline in epoch ms; then number from 1 and amount of each draw of another amount.
-- Reply one total per key when every draw was granted whole and is well; else three numbers per key: granted, total, state (0 well,
--       1 vanished, 2 no counter, 3 deadline has passed).
local call, try = redis.call, redis.pcall
local usual, unit, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local others = {}
for i = 5, #ARGV, 2 do others[tonumber(ARGV[i])] = ARGV[i + 1] end
local totals, odd, smooth = {}, {}, true

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

-- What to do about a total that is no plain success. Reply granted, total, state.
local function settle(key, added, total)
  local amount = tonumber(added)
  if type(total) == 'table' then return 0, 0, 2 end
  local before, granted, state = total - amount, amount, 0
  if before < 0 then
    call('DECRBY', key, added)
    return 0, 0, 2
  end
  if total > limit then
    -- Asked anew: a total beyond 2^53 is read wrongly by one.
    before, granted = call('DECRBY', key, added), 0
    local room = limit - before
    if room >= unit then
      granted = room - room % unit
      call('INCRBY', key, string.format('%.0f', granted))
    end
  end
  -- This call made it: it had vanished.
  if before == 0 and call('PTTL', key) == -1 then
    call('PEXPIREAT', key, ARGV[4])
    state = 1
    if call('EXISTS', key) == 0 then return 0, 0, 3 end
  end
  return granted, before + granted, state
end

local usually = tonumber(usual)
for i = 1, #KEYS do
  local added, amount = usual, usually
  if others[i] then added, amount = others[i], tonumber(others[i]) end
  local total = try('INCRBY', KEYS[i], added)
  if type(total) == 'table' and not (string.find(total.err, 'integer', 1, true)
    or string.find(total.err, 'WRONGTYPE', 1, true) or string.find(total.err, 'overflow', 1, true)) then
    return total
  end
  if type(total) == 'number' and total > amount and total <= limit then
    totals[i] = exact(total)
  else
    local granted, after, state = settle(KEYS[i], added, total)
    totals[i] = exact(after)
    odd[i] = { exact(granted), state }
    smooth = smooth and granted == amount and state == 0
  end
end

if smooth then return totals end
local reply = {}
for i = 1, #KEYS do
  local at, found = i * 3, odd[i] or { tonumber(others[i] or usual), 0 }
  reply[at - 2], reply[at - 1], reply[at] = found[1], totals[i], found[2]
end
return reply

-- Raises several counters, all or none, and writes the marker of the charge in the same step.
-- KEYS  the counters, then the marker if there is one.
-- ARGV  number of counters, note and deadline of the marker (empty without one), then per counter: amount, limit,
--       deadline in epoch ms, total seen before (-1: not seen).
--       A marker holds d and the note. Groups over several slots leave p (pending) and f (free) markers, step by step.
-- Reply outcome (charged, refused, replayed, unknown, corrupt, late), note, then per counter: total, 1 when it does not fit or is no
--       counter, 1 when it had vanished.
local call, try = redis.call, redis.pcall
local count = tonumber(ARGV[1])
local marker = KEYS[count + 1]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

local totals, unfit, vanished = {}, {}, {}
local fits, sound, late = true, true, marker ~= nil and tonumber(ARGV[3]) <= now
for i = 1, count do
  local at = i * 4
  local held = try('GET', KEYS[i])
  totals[i], unfit[i], vanished[i] = 0, 0, 0
  if type(held) == 'table' or (held and not string.find(held, '^%d+$')) then
    sound, unfit[i] = false, 1
  elseif held then
    totals[i] = tonumber(held)
  elseif tonumber(ARGV[at + 3]) > 0 then
    vanished[i] = 1
  end
  if totals[i] + tonumber(ARGV[at]) > tonumber(ARGV[at + 1]) then fits, unfit[i] = false, 1 end
  if tonumber(ARGV[at + 2]) <= now then late = true end
end

local outcome, note = 'charged', ''
local earlier = marker and call('GET', marker)
local phase = earlier and string.sub(earlier, 1, 1)
if earlier and phase ~= 'f' then
  outcome = phase == 'd' and 'replayed' or 'unknown'
  note = string.sub(earlier, 2)
elseif not sound then
  outcome = 'corrupt'
elseif late then
  outcome = 'late'
elseif not fits then
  outcome = 'refused'
end

if outcome == 'charged' and marker then
  call('SET', marker, 'd' .. ARGV[2])
  call('PEXPIREAT', marker, ARGV[3])
end
for i = 1, count do
  local at = i * 4
  if outcome == 'charged' then totals[i] = call('INCRBY', KEYS[i], ARGV[at]) end
  if (outcome == 'charged' or outcome == 'refused') and call('PTTL', KEYS[i]) == -1 then
    call('PEXPIREAT', KEYS[i], ARGV[at + 2])
  end
end

local reply = { outcome, note }
for i = 1, count do
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = exact(totals[i]), unfit[i], vanished[i]
end
return reply

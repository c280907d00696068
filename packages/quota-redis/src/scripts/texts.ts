/** The files beside this one as texts, so that bundlers carry them. A unit test keeps them equal; `vitest -u` rewrites this. */
export const SCRIPT_TEXTS: Readonly<
  Record<'date' | 'give-back' | 'redraw' | 'swap' | 'take' | 'take-alike' | 'take-all', string>
> = {
  date: `-- Dates the keys that exist and have no deadline.
-- KEYS  the keys.
-- ARGV  one deadline in epoch ms per key.
-- Reply how many were dated.
local dated = 0
for i = 1, #KEYS do
  if redis.call('PTTL', KEYS[i]) == -1 then dated = dated + redis.call('PEXPIREAT', KEYS[i], ARGV[i]) end
end
return dated
`,
  'give-back': `-- Lowers counters, never below zero, never creating one, and dates those without a deadline.
-- KEYS  the counters.
-- ARGV  two per key: amount, deadline in epoch ms.
-- Reply one number per key: the total; -1 absent, -2 no counter.
local call, try = redis.call, redis.pcall
local reply = {}

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

for i = 1, #KEYS do
  local key, at = KEYS[i], i * 2 - 1
  local held = try('GET', key)
  if type(held) == 'table' or (held and not string.find(held, '^%d+$')) then
    reply[i] = -2
  elseif not held then
    reply[i] = -1
  else
    local back = math.min(tonumber(held), tonumber(ARGV[at]))
    reply[i] = exact(tonumber(held) - back)
    if back > 0 then call('DECRBY', key, string.format('%.0f', back)) end
    if call('PTTL', key) == -1 then call('PEXPIREAT', key, ARGV[at + 1]) end
  end
end
return reply
`,
  redraw: `-- Corrects an unbounded increment that went over the limit: takes it back and draws again within the limit, in one step.
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
`,
  swap: `-- Writes a value if the key holds the one expected.
-- KEYS  the key.
-- ARGV  1 if a value is expected and 0 if none, the value expected, the next value, deadline in epoch ms.
-- Reply 1 swapped, 0 not swapped, 2 the deadline has passed; then the value held if not swapped.
local call = redis.call
local key = KEYS[1]
local held = call('GET', key)
local expected = ARGV[1] == '1' and ARGV[2]
if held ~= expected then return { 0, held } end
call('SET', key, ARGV[3])
call('PEXPIREAT', key, ARGV[4])
if call('EXISTS', key) == 0 then return { 2, held } end
return { 1 }
`,
  take: `-- Raises each counter by as much of the amount as stays within its limit, in multiples of the unit, and dates every
-- counter that has no deadline.
-- KEYS  the counters; one may occur more than once.
-- ARGV  two lists of numbers in JSON, because reading arguments one by one would cost more than the increments.
--       Terms, three each: unit, limit, deadline in epoch ms.
--       Draws, three per key: number of its terms from 1, amount, total seen before (-1: not seen).
-- Reply one total per key when every draw was granted whole and is well; else three numbers per key: granted, total, state (0 well,
--       1 vanished, 2 no counter, 3 deadline has passed).
local call, try = redis.call, redis.pcall
local terms, draws = cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local totals, reply = {}, {}
local smooth = true

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

-- Redis writes large numbers as 1e+15 when it is left to itself; most amounts are the same.
local texts = {}
local function whole(number)
  local text = texts[number]
  if not text then
    text = string.format('%.0f', number)
    texts[number] = text
  end
  return text
end

for i = 1, #KEYS do
  local key, at = KEYS[i], i * 3
  local term, amount, seen = draws[at - 2] * 3, draws[at - 1], draws[at]
  local unit, limit = terms[term - 2], terms[term - 1]
  local granted, before, state = 0, 0, 0
  local exists = false

  if amount <= limit and (seen < 0 or seen + amount <= limit) then
    -- It will probably fit: raise first and correct in the same step if it did not.
    local total = try('INCRBY', key, whole(amount))
    if type(total) == 'table' then
      if not (string.find(total.err, 'integer', 1, true) or string.find(total.err, 'WRONGTYPE', 1, true)
        or string.find(total.err, 'overflow', 1, true)) then
        return total
      end
      state = 2
    else
      before = total - amount
      exists = true
      if before < 0 then
        call('DECRBY', key, whole(amount))
        state = 2
      elseif total <= limit then
        granted = amount
      else
        -- Asked anew: a total beyond 2^53 is read wrongly by one.
        before = call('DECRBY', key, whole(amount))
        local room = limit - before
        if room >= unit then
          granted = room - room % unit
          call('INCRBY', key, string.format('%.0f', granted))
        end
      end
    end
  else
    local held = try('GET', key)
    if type(held) == 'table' then
      state = 2
    elseif held then
      if string.find(held, '^%d+$') then
        before = tonumber(held)
        exists = true
      else
        state = 2
      end
    end
    local room = limit - before
    if state == 0 and room >= unit then
      granted = math.min(amount, room - room % unit)
      call('INCRBY', key, string.format('%.0f', granted))
      exists = true
    elseif state == 0 and not exists and seen > 0 then
      state = 1
    end
  end

  -- A total at or above the one that was seen belongs to a counter that was dated then, and nothing takes a deadline away.
  if exists and state == 0 and (seen < 0 or before == 0 or before < seen) and call('PTTL', key) == -1 then
    call('PEXPIREAT', key, whole(terms[term]))
    if before == 0 and seen >= 0 then state = 1 end
    if call('EXISTS', key) == 0 then
      granted, before, state = 0, 0, 3
    end
  end

  if state == 2 then before = 0 end
  totals[i] = exact(before + granted)
  reply[at - 2], reply[at - 1], reply[at] = exact(granted), totals[i], state
  smooth = smooth and state == 0 and granted == amount
end

return smooth and totals or reply
`,
  'take-alike': `-- As take.lua, for the usual batch: counters that were all seen with their deadline, far enough from it and from the limit, and
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
`,
  'take-all': `-- Raises several counters, all or none, and writes the marker of the charge in the same step.
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
`,
};

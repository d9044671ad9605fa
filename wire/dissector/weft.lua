-- A dissector of the datagrams of weft, for Wireshark and tshark 4.0 and later.
--
--   weft wire dissector >weft.lua
--   tshark -X lua_script:weft.lua -r capture.pcapng
--   wireshark -X lua_script:weft.lua capture.pcapng
--
-- To keep it, put it into the folder "Personal Lua Plugins" of Help, About Wireshark, Folders.
--
-- The format is that of wire/internal/codec/doc.go. Tables below have its fields, in order: a new field is a new line.
-- What is sealed cannot be read; that it is sealed follows from the greetings of its session, or else from the checksum,
-- which only plain datagrams have.

local weft = Proto("weft", "weft messages over UDP")

-- Fields ---------------------------------------------------------------------------------------------------------------

local fields = {}

-- field makes a field of a type of ProtoField.
local function field(kind, name, title, ...)
	fields[name] = ProtoField[kind]("weft." .. name, title, ...)
	table.insert(weft.fields, fields[name])
end

local types = {"hello", "challenge", "accept", "packet", "reset", "refusal", "ping", "pong", "piece", "closed", "unawaited"}
local HELLO, CHALLENGE, ACCEPT, PACKET, RESET, REFUSAL, PING, PONG, PIECE, CLOSED, UNAWAITED = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local VERSION = 2

-- Handshakes and resets are never sealed.
local sealable = {[PACKET] = true, [REFUSAL] = true, [PING] = true, [PONG] = true, [PIECE] = true, [CLOSED] = true, [UNAWAITED] = true}

-- kinds of packets are those of a transport: of SIRD, or of connections (DCTCP, NSCC, Swift, Dart, ...).
local SIRD, CONNECTIONS = 1, 2
local kinds = {
	{[0] = "data", "request", "status", "credit", "query", "done", "ack"},
	{[0] = "data", "ack", "probe", "echo", "withdrawal", "withdrawn", "inquiry", "answer"},
}

local reasons = {[0] = "it is larger than the peer takes", "the peer has no memory left for it", "nobody takes messages there", "the peer is about to close"}
local messages = {[0] = "one-way", "request", "reply"}

-- A layout is a list of fields in fixed places: name, type, bytes, title, and what ProtoField takes besides.
local head = {
	{"session", "uint64", 8, "Session", base.HEX},
}
local greeting = {
	{"greeting.session", "uint64", 8, "Session of the sender", base.HEX},
	{"greeting.id", "bytes", 16, "Id"},
	{"greeting.life", "uint64", 8, "Life", base.HEX},
	{"greeting.epoch", "uint32", 4, "Epoch", base.DEC_HEX},
	{"greeting.cookie", "bytes", 24, "Cookie"},
	{"greeting.mtu", "uint16", 2, "MTU", base.DEC},
	{"greeting.sealed", "bool", 1, "Sealed", 8, nil, 1},
	{"greeting.transport", "uint32", 4, "Transport", base.HEX},
}
local GREETING, OFFER, ANSWER = 67, 48, 115
local challenge = {
	{"challenge.cookie", "bytes", 24, "Cookie"},
}
local refusal = {
	{"refusal.message", "uint32", 4, "Message", base.DEC},
	{"refusal.tag", "uint64", 8, "Tag", base.HEX},
	{"refusal.reason", "uint8", 1, "Reason", base.DEC, reasons},
}
local token = {
	{"ping.token", "uint32", 4, "Token", base.HEX},
}
local unawaited = {
	{"unawaited.request", "uint64", 8, "Request", base.DEC},
}
local piece = {
	{"piece.packet", "uint32", 4, "Packet", base.DEC},
	{"piece.index", "uint8", 1, "Index", base.DEC},
	{"piece.count", "uint8", 1, "Pieces of the packet", base.DEC},
	{"piece.total", "uint16", 2, "Size of the packet", base.DEC},
}
local packet = {
	{"packet.kind", "uint8", 1, "Kind", base.DEC},
	{"packet.group", "uint8", 1, "Group", base.DEC},
	{"packet.flags", "uint16", 2, "Flags", base.HEX},
	{"packet.presence", "uint16", 2, "Presence", base.HEX},
	{"packet.message", "uint32", 4, "Message", base.DEC},
	{"packet.entropy", "uint16", 2, "Entropy", base.DEC},
}

-- flags has the bits of packet.flags, from the lowest on.
local flags = {"marked", "trimmed", "pinned", "echoes", "echo_marked", "resent", "congested", "own1", "own2", "own3", "own4"}

-- optional are the fields after packet.wire, by the bits of packet.presence from the lowest on: name, bytes (or VARIES, a
-- uvarint, or SAID, bytes after their number as a uvarint), title.
local VARIES, SAID = 0, -1
local optional = {
	{"packet.tag", 8, "Tag", base.HEX},
	{"packet.echo", 2, "Echo", base.DEC},
	{"packet.size", VARIES, "Size", base.DEC},
	{"packet.offset", VARIES, "Offset", base.DEC},
	{"packet.amount", VARIES, "Amount", base.DEC},
	{"packet.number", VARIES, "Number", base.DEC},
	{"packet.extra", VARIES, "Extra", base.DEC},
	{"packet.sent_at", VARIES, "Sent at (ps)", base.DEC},
	{"packet.echo_at", VARIES, "Echo at (ps)", base.DEC},
	{"packet.more", SAID, "More"},
}

field("uint8", "version", "Version", base.DEC, nil, 0xf0)
field("uint8", "type", "Type", base.DEC, types, 0x0f)
field("uint8", "phase", "Phase of the key", base.DEC, nil, 0x80)
field("uint64", "number", "Number", base.DEC)
for _, layout in ipairs({head, greeting, challenge, refusal, token, unawaited, piece, packet}) do
	for _, x in ipairs(layout) do
		field(x[2], x[1], x[4], x[5], x[6], x[7])
	end
end
for i, name in ipairs(flags) do
	field("bool", "packet.flags." .. name, name, 16, nil, 2 ^ (i - 1))
end
field("uint64", "packet.wire", "Wire", base.DEC)
for _, x in ipairs(optional) do
	field(x[2] == SAID and "bytes" or "uint64", x[1], x[3], x[4])
end
field("uint8", "packet.tag.kind", "Kind of message", base.DEC, messages, 3)
field("bool", "packet.tag.empty", "Empty message", 8, nil, 4)
field("uint64", "packet.tag.number", "Number of the message", base.DEC)
field("uint32", "packet.payload_length", "Length of the payload", base.DEC)
field("bytes", "packet.payload", "Payload")
field("bytes", "greeting.padding", "Padding")
field("bytes", "greeting.offer", "Offer of the handshake")
field("bytes", "greeting.answer", "Answer of the handshake, with a sealed greeting")
field("bytes", "ping.padding", "Padding")
field("bytes", "piece.data", "Piece")
field("bytes", "sealed", "Sealed")
field("uint32", "checksum", "Checksum (CRC-32C)", base.HEX)
field("uint8", "checksum.status", "Checksum status", base.DEC, {[0] = "bad", "good", "not verified"})

local BAD, GOOD, UNVERIFIED = 0, 1, 2

local malformed = ProtoExpert.new("weft.malformed", "No datagram of weft", expert.group.MALFORMED, expert.severity.ERROR)
local broken = ProtoExpert.new("weft.checksum.bad", "Wrong checksum", expert.group.CHECKSUM, expert.severity.ERROR)
weft.experts = {malformed, broken}

-- Preferences ----------------------------------------------------------------------------------------------------------

weft.prefs.ports = Pref.range("UDP ports", "4000", "Ports at which weft listens. Datagrams at others are known by their checksums and sessions.", 65535)
weft.prefs.transport = Pref.enum("Transport", SIRD, "What kinds of packet mean.", {{1, "sird", SIRD}, {2, "connections", CONNECTIONS}})
weft.prefs.verify = Pref.bool("Verify checksums", true, "Takes a while for large captures.")

-- Checksums ------------------------------------------------------------------------------------------------------------

-- xor takes whole numbers from 0 to 2^32-1, up to eight. Its result may be negative.
local xor = bit and bit.bxor or bit32 and bit32.bxor or
	load("return function(a, b, c, d, e, f, g, h) return a ~ b ~ (c or 0) ~ (d or 0) ~ (e or 0) ~ (f or 0) ~ (g or 0) ~ (h or 0) end")()

local WORD = 2 ^ 32

-- remainders[k][b] is what byte b leaves in the checksum when k-1 bytes follow.
local remainders = {{}, {}, {}, {}, {}, {}, {}, {}}
for b = 0, 255 do
	local r = b
	for _ = 1, 8 do
		local odd = r % 2
		r = (r - odd) / 2
		if odd == 1 then
			r = xor(r, 0x82f63b78) % WORD
		end
	end
	remainders[1][b] = r
end
for k = 2, 8 do
	for b = 0, 255 do
		local before = remainders[k - 1][b]
		local low = before % 256
		remainders[k][b] = xor((before - low) / 256, remainders[1][low]) % WORD
	end
end

-- crc32c returns the checksum of a string, eight bytes at a time.
local function crc32c(s)
	local r1, r2, r3, r4, r5, r6, r7, r8 = remainders[1], remainders[2], remainders[3], remainders[4], remainders[5], remainders[6], remainders[7], remainders[8]
	local byte, crc, i = string.byte, WORD - 1, 1
	while i + 7 <= #s do
		local a, b, c, d, e, f, g, h = byte(s, i, i + 7)
		crc = xor(crc, a + b * 256 + c * 65536 + d * 16777216) % WORD
		a = crc % 256
		crc = (crc - a) / 256
		b = crc % 256
		crc = (crc - b) / 256
		c = crc % 256
		d = (crc - c) / 256
		crc = xor(r8[a], r7[b], r6[c], r5[d], r4[e], r3[f], r2[g], r1[h]) % WORD
		i = i + 8
	end
	while i <= #s do
		local low = crc % 256
		crc = xor((crc - low) / 256, r1[xor(low, byte(s, i)) % 256]) % WORD
		i = i + 1
	end
	return WORD - 1 - crc
end

-- summed tells whether a datagram ends with its checksum.
local function summed(buffer)
	local n = buffer:len()
	return n > 4 and crc32c(buffer:raw(0, n - 4)) == buffer(n - 4, 4):uint()
end

-- What is known of a capture -------------------------------------------------------------------------------------------

local sessions, places, sums -- whether a session is sealed, by its number, and an endpoint, by its place; whether a frame's checksum is right

function weft.init()
	sessions, places, sums = {}, {}, {}
end

local function place(address, port) return tostring(address) .. " " .. port end

local function learn(session, sealed)
	if sessions[session] == nil then
		sessions[session] = sealed
	end
end

-- sealing tells whether a session is sealed, as far as it is known: by greetings, or since those that talk greeted so.
local function sealing(session, pinfo)
	if sessions[session] ~= nil then
		return sessions[session]
	end
	return places[place(pinfo.dst, pinfo.dst_port)]
end

-- right is summed, once for each frame.
local function right(buffer, pinfo)
	if sums[pinfo.number] == nil then
		sums[pinfo.number] = summed(buffer)
	end
	return sums[pinfo.number]
end

-- Dissection -----------------------------------------------------------------------------------------------------------

-- take adds the fields of a layout, and returns where they end, and their values by name.
local function take(layout, buffer, at, tree)
	local values, items = {}, {}
	for _, x in ipairs(layout) do
		local name, kind, size = x[1], x[2], x[3]
		local range = buffer(at, size)
		items[name] = tree:add(fields[name], range)
		if kind == "uint64" then
			values[name] = range:uint64()
		elseif kind ~= "bytes" then
			values[name] = range:uint()
		end
		at = at + size
	end
	return at, values, items
end

-- uvarint returns a number of varying length, and how many bytes it has; nil if it does not end.
local function uvarint(buffer, at, stop)
	local value = UInt64(0)
	for i = 0, 8 do
		if at + i >= stop then
			return nil
		end
		local b = buffer(at + i, 1):uint()
		value = value + UInt64(b % 128):lshift(7 * i)
		if b < 128 then
			return value, i + 1
		end
	end
	return nil
end

local function has(bits, i) return math.floor(bits / 2 ^ (i - 1)) % 2 == 1 end

-- say has, for a kind of packet of a transport, what the info column says of its values.
local say = {{
	[0] = function(v) return string.format("%s bytes from %s of %s", v.length, v.offset, v.size) end,
	function(v) return v.own1 and string.format("asks what became of %s bytes", v.size) or string.format("announces %s bytes", v.size) end,
	function(v) return v.own1 and "the sender has forgotten it" or string.format("sent up to %s, %s credit held", v.amount, v.size) end,
	function(v) return string.format("grants %s, %s in all", v.amount, v.offset) end,
	function(v) return string.format("asks for bytes %s to %s", v.offset, v.size) end,
	function(v) return v.own1 and "cancelled" or "arrived in full" end,
}, {
	[0] = function(v) return string.format("%s bytes from %s of %s%s", v.length, v.offset, v.size, v.own4 and ", others wait" or "") end,
	function(v) return string.format("packet %s, all before %s%s", v.extra, v.offset, v.own3 and ", marked" or "") end,
	[4] = function(v) return string.format("number %s%s", v.number, v.own4 and ", others wait" or "") end,
	[5] = function(v) return string.format("number %s", v.number) end,
	[6] = function(v) return string.format("asks whether packet %s of %s arrived", v.extra, v.offset) end,
	[7] = function(v) return string.format("asked for packet %s, all before %s", v.extra, v.offset) end,
}}

-- on_packet dissects a packet of the transport, up to where it stops, and returns what the info column says.
local function on_packet(buffer, at, stop, tree)
	if at == stop then
		return "packet, empty"
	end
	local function wrong(why)
		tree:add_proto_expert_info(malformed, why)
		return "packet, malformed: " .. why
	end
	if stop - at < 12 then
		return wrong("it is cut")
	end
	local values, items
	at, values, items = take(packet, buffer, at, tree)
	local kind, bits, presence = values["packet.kind"], values["packet.flags"], values["packet.presence"]
	local set, known = {}, {}
	for i, name in ipairs(flags) do
		items["packet.flags"]:add(fields["packet.flags." .. name], buffer(at - 10, 2))
		known[name] = has(bits, i)
		if known[name] and not name:find("^own") and name ~= "pinned" and name ~= "echoes" then
			table.insert(set, name)
		end
	end
	if presence >= 2 ^ #optional then
		return wrong("it has fields that are not known")
	end
	local zero = UInt64(0)
	local function varying(name)
		local value, size = uvarint(buffer, at, stop)
		if value then
			tree:add(fields[name], buffer(at, size), value)
			at = at + size
		end
		return value
	end
	if not varying("packet.wire") then
		return wrong("it is cut")
	end
	for i, x in ipairs(optional) do
		local name, size = x[1], x[2]
		local short = name:gsub("^packet%.", "")
		known[short] = zero
		if not has(presence, i) then
			-- It is 0.
		elseif size == VARIES then
			known[short] = varying(name)
		elseif size == SAID then
			local length, bytes = uvarint(buffer, at, stop)
			local last = length and at + bytes + length:tonumber()
			known[short] = last and last <= stop
			if known[short] and length:tonumber() > 0 then
				tree:add(fields[name], buffer(at + bytes, length:tonumber()))
				at = last
			end
		elseif at + size <= stop then
			known[short] = buffer(at, size):uint64()
			local item = tree:add(fields[name], buffer(at, size))
			if short == "tag" then
				item:add(fields["packet.tag.kind"], buffer(at + 7, 1))
				item:add(fields["packet.tag.empty"], buffer(at + 7, 1))
				item:add(fields["packet.tag.number"], buffer(at, size), known.tag:rshift(3))
			end
			at = at + size
		else
			known[short] = nil
		end
		if not known[short] then
			return wrong("it is cut")
		end
	end
	known.length = stop - at
	tree:add(fields["packet.payload_length"], known.length):set_generated()
	if known.length > 0 then
		tree:add(fields["packet.payload"], buffer(at, known.length))
	end
	local text, words = kinds[weft.prefs.transport][kind] or "kind " .. kind, say[weft.prefs.transport][kind]
	items["packet.kind"]:append_text(" (" .. text .. ")")
	if words then
		text = string.format("%s, message %d: %s", text, values["packet.message"], words(known))
	end
	for _, name in ipairs(set) do
		text = text .. ", " .. name:gsub("_", " ")
	end
	return text
end

local function cut(type, tree)
	tree:add_proto_expert_info(malformed, "it has not the size of its type")
	return types[type] .. ", malformed: it has not the size of its type"
end

-- on_greeting dissects what a hello and a plain accept have, and remembers the session that it opens. The greeting of a sealed
-- accept cannot be read.
local function on_greeting(buffer, at, stop, tree, pinfo, type)
	local sealed = type == ACCEPT and stop - at == ANSWER
	if sealed then
		tree:add(fields["greeting.answer"], buffer(at, ANSWER))
	else
		if stop - at < GREETING then
			return cut(type, tree)
		end
		local values
		at, values = take(greeting, buffer, at, tree)
		sealed = values["greeting.sealed"] == 1
		learn(tostring(values["greeting.session"]), sealed)
		if type == HELLO and sealed and stop - at >= OFFER and buffer(at - GREETING + 36, 24):bytes():tohex():find("[^0]") then
			tree:add(fields["greeting.offer"], buffer(at, OFFER))
			at = at + OFFER
		end
		if at < stop then
			tree:add(fields["greeting.padding"], buffer(at, stop - at))
		end
	end
	if type == ACCEPT then
		places[place(pinfo.src, pinfo.src_port)], places[place(pinfo.dst, pinfo.dst_port)] = sealed, sealed
	end
	return types[type] .. (sealed and ", sealed" or ", plain")
end

-- before dissects a layout and what follows it, up to where it stops: a field for that, or nothing may follow. It returns the
-- values, nil if the datagram is cut.
local function before(layout, size, rest, buffer, at, stop, tree)
	if stop - at < size or stop - at > size and not rest then
		return nil
	end
	local values
	at, values = take(layout, buffer, at, tree)
	if at < stop then
		tree:add(fields[rest], buffer(at, stop - at))
	end
	return values
end

-- bodies has, for types of other datagrams, the layout, its size, the field for what follows, and what the info column says.
local bodies = {
	[CHALLENGE] = {challenge, 24},
	[RESET] = {{}, 0},
	[REFUSAL] = {refusal, 13, nil, function(v)
		return string.format("refusal, message %d: %s", v["refusal.message"], reasons[v["refusal.reason"]] or "for another reason")
	end},
	[PING] = {token, 4, "ping.padding"},
	[PONG] = {token, 4},
	[CLOSED] = {{}, 0},
	[UNAWAITED] = {unawaited, 8},
	[PIECE] = {piece, 8, "piece.data", function(v)
		return string.format("piece %d of %d of packet %d", v["piece.index"] + 1, v["piece.count"], v["piece.packet"])
	end},
}

-- body dissects what follows the head of a plain datagram.
local function body(type, buffer, at, stop, tree, pinfo)
	if type == HELLO or type == ACCEPT then
		return on_greeting(buffer, at, stop, tree, pinfo, type)
	elseif type == PACKET then
		return on_packet(buffer, at, stop, tree)
	end
	local x = bodies[type]
	local values = before(x[1], x[2], x[3], buffer, at, stop, tree)
	if not values then
		return cut(type, tree)
	end
	return x[4] and x[4](values) or types[type]
end

local HEAD, SUM = 15, 4

-- is tells whether a datagram begins as those of weft do.
local function is(buffer)
	local first = buffer:len() >= HEAD and buffer(0, 1):uint() or 0
	return first > 16 * VERSION and first <= 16 * VERSION + #types
end

local function dissect(buffer, pinfo, tree)
	if not is(buffer) then
		return 0
	end
	pinfo.cols.protocol = "weft"
	local n, type = buffer:len(), buffer(0, 1):uint() % 16
	local root = tree:add(weft, buffer())
	root:add(fields.version, buffer(0, 1))
	root:add(fields.type, buffer(0, 1))
	local _, values = take(head, buffer, 1, root)
	root:add(fields.phase, buffer(9, 1))
	root:add(fields.number, buffer(9, 6), UInt64(buffer(11, 4):uint(), buffer(9, 2):uint() % 2 ^ 15))
	local session = tostring(values.session)
	local sealed = false
	if sealable[type] then
		sealed = sealing(session, pinfo)
		if sealed == nil then -- its greeting was not captured
			sealed = not right(buffer, pinfo)
			if not sealed then -- one that is broken looks sealed
				learn(session, false)
			end
		end
	end
	local text
	if sealed then
		root:add(fields.sealed, buffer(HEAD))
		text = string.format("%s, sealed, %d B", types[type], n - HEAD)
	elseif n < HEAD + SUM then
		root:add_proto_expert_info(malformed, "it has no checksum")
		text = types[type] .. ", malformed: it has no checksum"
	else
		text = body(type, buffer, HEAD, n - SUM, root, pinfo)
		local sum = root:add(fields.checksum, buffer(n - SUM, SUM))
		local status = UNVERIFIED
		if weft.prefs.verify then
			status = right(buffer, pinfo) and GOOD or BAD
		end
		sum:add(fields["checksum.status"], status):set_generated()
		if status == BAD then
			sum:add_proto_expert_info(broken)
			text = text .. ", wrong checksum"
		end
	end
	root:append_text(", " .. text)
	pinfo.cols.info = text
	return n
end

weft.dissector = dissect

-- Where it is used -----------------------------------------------------------------------------------------------------

local ports
local function listen()
	local list = DissectorTable.get("udp.port")
	if ports and ports ~= "" then
		list:remove(ports, weft)
	end
	ports = weft.prefs.ports
	if ports ~= "" then
		list:add(ports, weft)
	end
end
listen()
weft.prefs_changed = listen

-- An endpoint has many ports; what it sends from them is known by the checksum, or by the session of a greeting.
weft:register_heuristic("udp", function(buffer, pinfo, tree)
	if not is(buffer) or sealing(tostring(buffer(1, 8):uint64()), pinfo) == nil and not right(buffer, pinfo) then
		return false
	end
	dissect(buffer, pinfo, tree)
	return true
end)

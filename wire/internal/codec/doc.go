// Package codec encodes and decodes the datagrams of package wire, and seals them.
//
// It does no I/O and reads no clock. All numbers are big endian. Each value has one encoding, so
// what parses encodes to the same bytes again. Parsers never panic, and return an error for
// bytes that no encoder writes. They copy no payload.
//
// # Datagrams
//
// A datagram is a head of [HeadSize] bytes and a body:
//
//	offset  size  field
//	     0     1  version in the upper four bits, type in the lower four
//	     1     8  session: that of the receiver, with the exceptions below
//	     9     6  number, below maxNumber
//	    15        body
//
// The types are:
//
//	value  type       size  session in the head        body
//	    1  hello       160  0: not known yet           greeting and padding
//	    2  challenge    39  the receiver's             cookie
//	    3  accept       98  the receiver's             greeting
//	    4  packet           the receiver's             packet; may be sealed
//	    5  reset        15  the one that is unknown    empty
//	    6  refusal          the receiver's             refusal; may be sealed
//	    7  ping             the receiver's             empty; may be sealed
//	    8  pong             the receiver's             empty; may be sealed
//
// Session and number are the caller's: this package gives them no meaning except in sealing.
// ParseHead checks the version, the type, and the sizes above. A plain packet that lost the end
// of its payload parses as one with less; all other datagrams that are cut are errors.
//
// # Greeting
//
// The body of a hello and of an accept has [GreetingSize] bytes. Offsets count from the start
// of the body:
//
//	offset  size  field
//	     0     8  session of the sender
//	     8    16  id of the sender
//	    24     8  life
//	    32     4  epoch
//	    36    16  nonce
//	    52    24  cookie; zero if there is none
//	    76     2  MTU
//	    78     1  bit 0: sealed; the others are 0
//	    79     4  transport
//
// A hello continues with zero bytes, up to [HelloSize] bytes of datagram. No answer to it is
// larger, so an endpoint amplifies nothing. [Pad] adds the zeros.
//
// # Refusal
//
//	offset  size  field
//	     0     4  message
//	     4     8  tag
//	    12     1  reason
//
// # Packet
//
// The body of a packet is a [protocol.Packet] and its payload, which takes the rest:
//
//	offset  size  field
//	     0     1  Kind, below protocol.HostKinds
//	     1     1  Group
//	     2     2  Flags
//	     4     2  presence: a bit for each field below
//	     6     4  Message
//	    10     2  Entropy
//	    12   1-3  Wire, uvarint, from 1 to 65535
//	           8  Tag, if bit 0 of presence is set
//	           2  Echo, bit 1
//	         1-9  Size, uvarint, bit 2
//	         1-9  Offset, uvarint, bit 3
//	         1-9  Amount, uvarint, bit 4
//	         1-5  Number, uvarint below 1<<32, bit 5
//	         1-5  Extra, uvarint below 1<<32, bit 6
//	         1-9  SentAt, uvarint, bit 7
//	         1-9  EchoAt, uvarint, bit 8
//	       2-130  More: its length, uvarint from 1 to protocol.MostMore, and its bytes; bit 9
//	              payload
//
// A uvarint is that of encoding/binary in as few bytes as possible. Times are in picoseconds,
// sizes in bytes. A field of value 0 is absent, and one that is present is not 0. Bits 10 to 15
// of presence are 0, and so are the bits of Flags that have no name in package protocol.
//
// Peer and Class do not travel: a session tells the peer, and there is one class. The flags
// Marked and WasTrimmed do not travel either: the network sets them. AppendPacket leaves them
// out, and ParsePacket rejects them.
//
// A packet with payload must satisfy Offset + Payload <= Size, unless Size is 0. Negative fields
// are errors of the encoder. The head of a packet, up to the payload, has at most
// [maxPacketHead] bytes; HeadSize, and SealOverhead if it is sealed, come on top.
//
// # Sealing
//
// A sealed datagram has a plain head. Its body is encrypted by AES-256-GCM, and a tag of
// [SealOverhead] bytes follows. The head is authenticated as additional data.
//
// Each direction has its own key and mask, from HKDF with SHA-256:
//
//	secret  what both sides share
//	salt    nonce of the initiator, nonce of the responder
//	info    "weft wire v1 initiator" or "weft wire v1 responder", of whom sends
//	output  32 bytes of key, 12 bytes of mask
//
// The nonce of a datagram is its number, extended with zeros in front to 12 bytes, XOR mask. A
// number must never be used twice under a key: that would reveal the XOR of two bodies, and
// let others forge. So [Keys.Seal] takes only numbers that grow. Fresh keys need a fresh nonce of
// either side, 16 random bytes. Both nonces travel in plain greetings, which nothing
// authenticates; but a change to either gives both sides different keys.
//
// The keys tell nothing of ids: every holder of the secret can claim any id. There is no forward
// secrecy. The advantage of an attacker over ideal encryption grows with the blocks that one key
// encrypted: it is about 2^-36 after 2^40 datagrams of 1500 B, and 2^-20 after all 2^48.
//
// # Replay and cookies
//
// [Window] remembers which numbers were accepted. [CookieJar] makes and checks the cookies of
// challenges without memory per peer:
//
//	offset  size  field
//	     0    16  first bytes of HMAC-SHA256(slot key, session, address)
//	    16     8  slot: the time, divided by a minute
//
// The slot key is HMAC-SHA256(root key, "weft wire v1 cookie", slot).
package codec

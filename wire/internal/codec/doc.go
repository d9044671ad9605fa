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
//	     9     6  the phase of the key in the highest bit, then the number, below MaxNumber
//	    15        body
//
// The types are:
//
//	value  type       size  session in the head        body
//	    1  hello       160  0: not known yet           greeting, offer if there is one, padding
//	    2  challenge    39  the receiver's             cookie
//	    3  accept       82  the receiver's             greeting
//	               or  130                             answer, if sealed
//	    4  packet           the receiver's             packet; may be sealed
//	    5  reset        15  the one that is unknown    empty
//	    6  refusal          the receiver's             refusal; may be sealed
//	    7  ping             the receiver's             token (4), zeros; may be sealed
//	    8  pong             the receiver's             token of the ping (4); may be sealed
//	    9  piece            the receiver's             fragment of a packet; may be sealed
//	   10  closed           the receiver's             empty; may be sealed
//	   11  unawaited        the receiver's             number of a request (8); may be sealed
//
// Session and number are the caller's: this package gives them no meaning except in sealing.
// ParseHead checks the version, the type, and the sizes above. A plain packet that lost the end
// of its payload parses as one with less; all other datagrams that are cut are errors.
//
// # Greeting
//
// A greeting has [GreetingSize] bytes:
//
//	offset  size  field
//	     0     8  session of the sender
//	     8    16  id of the sender
//	    24     8  life
//	    32     4  epoch
//	    36    24  cookie; zero if there is none
//	    60     2  MTU
//	    62     1  bit 0: sealed; the others are 0
//	    63     4  transport
//
// In a hello that is to be sealed and has a cookie, an offer of [OfferSize] bytes follows. A hello continues with zero bytes, up to
// 160 bytes of datagram. No answer to it is larger, so an endpoint amplifies nothing. The accept of such a hello has an
// answer of [AnswerSize] bytes in place of a plain greeting.
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
// # Fragment
//
// A packet that the path does not take as a whole goes in pieces, each in a datagram of its own:
//
//	offset  size  field
//	     0     4  packet: the same for all pieces of one
//	     4     1  index of the piece, from 0 on
//	     5     1  count of the pieces, 2 or more
//	     6     2  total size of the packet
//	     8        piece
//
// The packet is what the body of a packet datagram would be. It is cut evenly: a piece has total / count bytes, rounded up, and stands
// at index times that; the last one has the rest, and is not empty.
//
// # Handshake
//
// Offer and answer are the two messages of Noise_NNpsk0_25519_AESGCM_SHA256 (The Noise Protocol Framework, revision 34):
//
//	prologue  "weft wire v2", greeting of the hello
//	psk       HMAC-SHA256("weft wire v2 secret", secret), which is HKDF-Extract with that salt
//	offer     public key of the initiator (32), tag of an empty payload (16)
//	answer    public key of the responder (32), greeting of the accept, encrypted (67), tag (16)
//
// The tag of an offer shows that its sender has the secret, has received the cookie, and says all of its greeting: [ReadOffer] checks
// it by hashes, before any public-key operation. The two cipher states that Noise ends with give the first secrets of the two
// directions. They are gone with the sides' private keys: who learns the secret later opens nothing of what was sealed before
// (forward secrecy).
//
// The keys tell nothing of ids: every holder of the secret can claim any id.
//
// # Sealing
//
// A sealed datagram has a plain head. Its body is encrypted by AES-256-GCM, and a tag of
// [SealOverhead] bytes follows. The head is authenticated as additional data.
//
// Each direction has a secret of 32 bytes in each generation of keys, and from it by HKDF-Expand with SHA-256:
//
//	info "weft wire v2 key"   32 bytes of key, 12 bytes of mask
//	info "weft wire v2 next"  the secret of the next generation
//
// The nonce of a datagram is its number, extended with zeros in front to 12 bytes, XOR mask. A
// number must never be used twice under a key: that would reveal the XOR of two bodies, and
// let others forge. So [Keys.Seal] takes only numbers that grow, and they go on from one generation to the next.
//
// The phase in the head is the lowest bit of the generation. A receiver tries one key. In the phase that it is in, that is the present
// one. In the other phase it is the one before for numbers below the least that the present one opened, and else the next one. A datagram
// that the next key opens has the receiver go on to it. A sender goes to its next key only once the receiver has answered something
// that was sealed by the present one, so a receiver is never more than one generation behind. These are the rules of QUIC's key
// update (RFC 9001, section 6), but each direction goes on by itself.
//
// The advantage of an attacker over ideal encryption grows with the square of the blocks of 16 bytes that one key
// encrypted: it is about 2^-65 after 2^32 of them, which are 2^36 bytes.
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

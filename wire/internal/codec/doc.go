// Package codec encodes and decodes the datagrams of package wire, and seals them.
//
// It does no I/O and reads no clock. All numbers are big endian. Each value has exactly one
// encoding, so encoding a parsed value gives the same bytes again. Parsers never panic; they
// return an error for bytes that no encoder writes. They do not copy payload.
//
// # Datagrams
//
// A datagram is a head of [HeadSize] bytes and a body:
//
//	offset  size  field
//	     0     1  version in the upper four bits, type in the lower four
//	     1     8  session: the receiver's, with the exceptions below
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
// The caller chooses session and number. In this package only sealing uses them. ParseHead checks
// the version, the type, and the sizes above. A plain packet whose payload was truncated parses as
// a packet with less payload; any other truncated datagram is an error.
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
// If a hello's session will be sealed and the hello has a cookie, an offer of [OfferSize] bytes
// follows. Zeros pad every hello to a datagram of 160 bytes. No answer to a hello is larger, so an
// endpoint cannot be abused for amplification. The accept for a hello with an offer contains an
// answer of [AnswerSize] bytes instead of a plain greeting.
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
// The body of a packet is a [protocol.Packet] followed by its payload:
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
// A uvarint is encoded as in encoding/binary, in as few bytes as possible. Times are in
// picoseconds, sizes in bytes. A field is present exactly if it is not 0. Bits 10 to 15 of
// presence are 0, and so are the bits of Flags that have no name in package protocol.
//
// Peer and Class do not travel: the session identifies the peer, and there is only one class. The
// flags Marked and WasTrimmed do not travel either, because the network sets them. AppendPacket
// omits them, and ParsePacket rejects them.
//
// A packet with payload must satisfy Offset + Payload <= Size, unless Size is 0. The encoder
// rejects negative fields. The encoding of a packet without payload has at most [maxPacketHead]
// bytes, plus HeadSize, plus SealOverhead if it is sealed.
//
// # Fragment
//
// A packet that is too large for the path goes in pieces, each in a datagram of its own:
//
//	offset  size  field
//	     0     4  packet: the same for all pieces of one
//	     4     1  index of the piece, from 0 on
//	     5     1  count of the pieces, 2 or more
//	     6     2  total size of the packet
//	     8        piece
//
// The pieces together are the body of a packet datagram. It is cut evenly: each piece has
// total / count bytes, rounded up, and begins at index times that size. The last piece has the
// rest and is not empty.
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
// The tag of an offer proves that its sender has the secret, has received the cookie, and wrote the
// whole greeting. [ReadOffer] checks it with hashes alone, before any public-key operation. Noise
// ends with two cipher states, which give the first secrets of the two directions. Both sides
// discard their private keys, so whoever learns the secret later cannot open what was sealed before
// (forward secrecy).
//
// The keys do not authenticate ids: every holder of the secret can claim any id.
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
// number must never be used twice under a key: that would reveal the XOR of two bodies and enable
// forgeries. So [Keys.Seal] accepts only increasing numbers, which continue across generations.
//
// The phase in the head is the lowest bit of the generation. A receiver tries only one key. If the
// phase is its present one, it tries the present key. Otherwise it tries the previous key for
// numbers below the least that the present key opened, and the next key for all others. When the
// next key opens a datagram, the receiver moves to it. A sender moves to its next key only after
// the receiver has answered a datagram sealed with the present one, so the receiver is never more
// than one generation behind. These are the rules of QUIC's key update (RFC 9001, section 6),
// except that the two directions move independently.
//
// An attacker's advantage over ideal encryption grows with the square of the number of 16-byte
// blocks that one key has encrypted. It is about 2^-65 after 2^32 blocks, or 2^36 bytes.
//
// # Replay and cookies
//
// [Window] remembers which numbers were accepted. [CookieJar] makes and checks the cookies of
// challenges without state per peer:
//
//	offset  size  field
//	     0    16  first bytes of HMAC-SHA256(slot key, session, address)
//	    16     8  slot: the time, divided by a minute
//
// The slot key is HMAC-SHA256(root key, "weft wire v1 cookie", slot).
package codec

// Package pcapng writes UDP datagrams as a capture file that Wireshark and tshark open: pcapng, one section with one interface.
//
// A program that sends datagrams does not see their heads. [Writer] makes heads of IP and UDP from the addresses, the ports and
// the ECN bits, with right checksums; the link type is raw IP, so there is none of Ethernet. Times are in nanoseconds.
//
// # Blocks
//
// All numbers are little endian. The format is that of draft-ietf-opsawg-pcapng:
//
//	block                  options
//	section header         shb_userappl: "weft"
//	interface description  if_name, if_description, if_tsresol: 9
//	enhanced packet        epb_flags: 1 received, 2 sent
//
// Each call of the io.Writer has one block; the first has the two that describe. There is a library for this format, gopacket.
// It adds 2 MB to a program, since it brings decoders of all protocols; the tests read with it.
package pcapng

package disjoint

// Count counts disjoint paths between two sets: it sets found[h] for every length h in hops.
type Count func(a, b []int32, found []int)

// Interference measures how much the paths of pair (A, B) and pair (C, D) interfere at each
// length h:
//
//	I = c_h({a,c},{b}) + c_h({a,c},{d}) - c_h({a,c},{b,d})
//
// It sets printed[h] to this, which is the paper's formula and gives the numbers of its Table IV.
// The paper's words describe another quantity,
//
//	c_h({a},{b}) + c_h({c},{d}) - c_h({a,c},{b,d}),
//
// which it stores in worded[h] unless worded is nil. Joint sets also have the paths from a to d and
// from c to b, so this is negative on average on most topologies. The four routers must be
// different.
//
// Source: FatPaths §IV-B2.
func Interference(count Count, a, b, c, d int32, printed, worded []int) {
	n := len(printed)
	var room [3][MaxLength + 1]int
	toB, toD, joint := room[0][:n], room[1][:n], room[2][:n]
	from := []int32{a, c}
	count(from, []int32{b}, toB)
	count(from, []int32{d}, toD)
	count(from, []int32{b, d}, joint)
	for h := range printed {
		printed[h] = toB[h] + toD[h] - joint[h]
	}
	if worded == nil {
		return
	}
	count([]int32{a}, []int32{b}, toB)
	count([]int32{c}, []int32{d}, toD)
	for h := range worded {
		worded[h] = toB[h] + toD[h] - joint[h]
	}
}

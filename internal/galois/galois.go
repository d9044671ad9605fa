// Package galois computes in the finite fields GF(q) for any prime power q. Tables make every
// operation a look-up.
package galois

import "fmt"

// MaxOrder is the largest field order that New accepts.
const MaxOrder = 1024

// Field is GF(q). Its elements are the numbers 0 to q-1. Written in base p, the characteristic,
// the digits of an element are its coefficients as a polynomial over GF(p), the lowest first. So
// 0 and 1 are zero and one, and in a prime field the elements are the integers modulo p.
type Field struct {
	order, characteristic int
	// exp lists the powers of the primitive element twice over, so that a sum of two logarithms
	// needs no reduction. log is its inverse for nonzero elements.
	exp []uint16
	log []uint16
	// sum holds a+b at a·q+b; negative holds -a at a.
	sum      []uint16
	negative []uint16
}

// New returns the field of order q. It fails if q is not a prime power or exceeds MaxOrder.
func New(q int) (*Field, error) {
	p, degree, ok := PrimePower(q)
	if !ok {
		return nil, fmt.Errorf("there is no field of %d elements: %d is not a prime power", q, q)
	}
	if q > MaxOrder {
		return nil, fmt.Errorf("a field of %d elements is too large; at most %d are possible", q, MaxOrder)
	}
	f := &Field{order: q, characteristic: p}
	f.addition(degree)
	f.powers(degree)
	return f, nil
}

// PrimePower returns the prime p and the exponent with q = p^exponent. ok is false if q is not a
// prime power.
func PrimePower(q int) (p, exponent int, ok bool) {
	if q < 2 {
		return 0, 0, false
	}
	for p = 2; p*p <= q && q%p != 0; p++ {
	}
	if q%p != 0 {
		p = q
	}
	for ; q%p == 0; q /= p {
		exponent++
	}
	return p, exponent, q == 1
}

// addition fills in the tables of sums and negatives, digit by digit.
func (f *Field) addition(degree int) {
	q, p := f.order, f.characteristic
	f.sum = make([]uint16, q*q)
	f.negative = make([]uint16, q)
	for a := range q {
		for b := range q {
			s, place := 0, 1
			for x, y := a, b; x > 0 || y > 0; x, y = x/p, y/p {
				s += (x%p + y%p) % p * place
				place *= p
			}
			f.sum[a*q+b] = uint16(s)
			if s == 0 {
				f.negative[a] = uint16(b)
			}
		}
	}
}

// powers finds a primitive element and fills in its powers. The element is the polynomial x
// modulo a monic polynomial of the field's degree. If x has q-1 different powers modulo that
// polynomial, the powers are all nonzero residues: each has an inverse, and the residues form a
// field. In a prime field the modulus is x - g, which makes x the number g.
func (f *Field) powers(degree int) {
	q, p := f.order, f.characteristic
	f.exp = make([]uint16, 2*(q-1))
	f.log = make([]uint16, q)
	top := q / p
	for low := 1; low < q; low++ {
		// x^degree is congruent to low. Multiplying by x shifts the digits up; the digit c that
		// leaves at the top contributes c times low.
		multiples := make([]int, p)
		for c := 1; c < p; c++ {
			multiples[c] = int(f.sum[multiples[c-1]*q+low])
		}
		times := func(a int) int { return int(f.sum[a%top*p*q+multiples[a/top]]) }
		if degree == 1 {
			times = func(a int) int { return a * low % p }
		}
		n, power := 0, 1
		for ; n < q-1; n++ {
			f.exp[n] = uint16(power)
			f.log[power] = uint16(n)
			power = times(power)
			if power <= 1 {
				n++
				break
			}
		}
		if n == q-1 && power == 1 {
			break
		}
	}
	copy(f.exp[q-1:], f.exp[:q-1])
}

// Order returns q, the number of elements.
func (f *Field) Order() int { return f.order }

// Characteristic returns p, the prime whose power is q.
func (f *Field) Characteristic() int { return f.characteristic }

// Exp returns the primitive element to the power n. n must not be negative.
func (f *Field) Exp(n int) int { return int(f.exp[n%(f.order-1)]) }

// Add returns a + b.
func (f *Field) Add(a, b int) int { return int(f.sum[a*f.order+b]) }

// Neg returns -a.
func (f *Field) Neg(a int) int { return int(f.negative[a]) }

// Mul returns a · b.
func (f *Field) Mul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return int(f.exp[int(f.log[a])+int(f.log[b])])
}

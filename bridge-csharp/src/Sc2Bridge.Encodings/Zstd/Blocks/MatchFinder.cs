using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// How a content is made of the one before it. Two steps of a match are alike but for values here and there, so it goes
/// through both at once, with a *shift* between them that changes where something was added or has gone; only where it
/// loses its way does it search. Deterministic; not thread-safe.
/// </summary>
internal sealed unsafe class MatchFinder
{
    private const int Shortest = 5;
    private const int IndexLog = 13;
    private const int IndexStep = 16;

    // How far ahead of a change the same shift is looked for, and how much a shift is likely to change.
    private const int Ahead = 58;
    private const int Near = 32;

    private readonly int[] _index = new int[1 << IndexLog];
    private Sequence[] _found = new Sequence[2048];
    private int _count;
    private bool _isIndexed;
    private byte* _previous;
    private int _previousLength;
    private byte* _content;
    private int _contentLength;
    private int _shift;

    /// <summary>Begins a content; both stay where they are until all of it is asked for.</summary>
    public void Begin(byte* previous, int previousLength, byte* content, int contentLength)
    {
        _previous = previous;
        _previousLength = previousLength;
        _content = content;
        _contentLength = contentLength;
        (_shift, _isIndexed) = (0, false);
    }

    /// <summary>The sequences of the next stretch of it; what is behind the last is literals.</summary>
    /// <param name="from">Where the last stretch ended.</param>
    /// <param name="to">Where this one ends.</param>
    /// <returns>Until the next call.</returns>
    public ReadOnlySpan<Sequence> Find(int from, int to)
    {
        _count = 0;
        var (at, literals) = (from, from);
        while (at >= 0)
        {
            var length = Common(at, to);
            if (length >= Shortest)
            {
                Add(new Sequence(at - literals, length, _previousLength - _shift));
                at += length;
                literals = at;
            }

            if (to - at < sizeof(ulong) * 2)
            {
                break;
            }

            at = OfSameShift(at, to) is var same and >= 0 ? same
                : OfNearShift(at, literals) is var near and >= 0 ? near
                : Anywhere(at, to, literals);
        }

        return _found.AsSpan(0, _count);
    }

    private void Add(Sequence sequence)
    {
        if (_count == _found.Length)
        {
            Array.Resize(ref _found, _count * 2);
        }

        _found[_count++] = sequence;
    }

    // How many bytes from there on are the same.
    private int Common(int at, int to)
    {
        var other = at + _shift;
        if (other < 0)
        {
            return 0;
        }

        var one = _content + at;
        var two = _previous + other;
        var most = Math.Min(to - at, _previousLength - other);
        var length = 0;
        for (; length <= most - Vector256<byte>.Count; length += Vector256<byte>.Count)
        {
            var same = Vector256.Equals(Vector256.Load(one + length), Vector256.Load(two + length))
                .ExtractMostSignificantBits();
            if (same != uint.MaxValue)
            {
                return length + BitOperations.TrailingZeroCount(~same);
            }
        }

        while (length < most && one[length] == two[length])
        {
            length++;
        }

        return length;
    }

    // Where, a little further on, the shift holds again: -1 where it does not.
    private int OfSameShift(int at, int to)
    {
        for (var last = at + Ahead; at < last; at += Vector256<byte>.Count - Shortest + 1)
        {
            var other = at + _shift;
            if (at + Vector256<byte>.Count > to || other < 0 || other + Vector256<byte>.Count > _previousLength)
            {
                return -1;
            }

            var same = Vector256.Equals(Vector256.Load(_content + at), Vector256.Load(_previous + other))
                .ExtractMostSignificantBits();

            // The bits at which five in a row are the same.
            same &= same >> 1;
            same &= same >> 2;
            same &= same >> 1;
            if (same != 0)
            {
                return at + BitOperations.TrailingZeroCount(same);
            }
        }

        return -1;
    }

    // Where, a little further on, another shift holds that is nearly the same.
    private int OfNearShift(int from, int literals)
    {
        foreach (var ahead in (ReadOnlySpan<int>)[4, 12, 28])
        {
            var at = from + ahead;
            if (at + (2 * sizeof(ulong)) > _contentLength)
            {
                return -1;
            }

            var wanted = Long(_content + at);
            var other = at + _shift;
            var lowest = Math.Max(other - Near, 0);
            var highest = Math.Min(other + Near, _previousLength - (2 * sizeof(ulong)));
            for (var place = lowest; place <= highest; place++)
            {
                if (Long(_previous + place) == wanted && Int(_previous + place + 8) == Int(_content + at + 8))
                {
                    return Found(at, place, literals);
                }
            }
        }

        return -1;
    }

    private int Anywhere(int from, int to, int literals)
    {
        Index();
        var step = 1;
        for (var at = from; at + (2 * sizeof(ulong)) <= to; at += step)
        {
            var wanted = Long(_content + at);
            var place = _index[Hash(wanted)];
            if (place + (2 * sizeof(ulong)) <= _previousLength
                && Long(_previous + place) == wanted
                && Long(_previous + place + sizeof(ulong)) == Long(_content + at + sizeof(ulong)))
            {
                return Found(at, place, literals);
            }

            // In what is new altogether, larger and larger steps.
            step = 1 + ((at - from) >> 8);
        }

        return -1;
    }

    // Goes back over what is the same before it.
    private int Found(int at, int place, int literals)
    {
        _shift = place - at;
        while (at > literals && place > 0 && _content[at - 1] == _previous[place - 1])
        {
            at--;
            place--;
        }

        return at;
    }

    // Every 16th place of the one before, once it is needed. What older ones left there is bytes like any other.
    private void Index()
    {
        if (_isIndexed)
        {
            return;
        }

        _isIndexed = true;
        for (var place = 0; place + sizeof(ulong) <= _previousLength; place += IndexStep)
        {
            _index[Hash(Long(_previous + place))] = place;
        }
    }

    private static int Hash(ulong bytes) => (int)((bytes * 0x9E3779B185EBCA87) >> (64 - IndexLog));

    private static ulong Long(byte* at) => Unsafe.ReadUnaligned<ulong>(at);

    private static uint Int(byte* at) => Unsafe.ReadUnaligned<uint>(at);
}

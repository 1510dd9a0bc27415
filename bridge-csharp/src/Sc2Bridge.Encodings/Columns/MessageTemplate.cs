using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>What is done with the bytes of a field, once it is known where they are.</summary>
/// <param name="Kind">What the field is.</param>
/// <param name="Number">Its number.</param>
/// <param name="Offset">Where its value begins.</param>
/// <param name="Length">Bytes of its value.</param>
internal readonly record struct RowStep(RowField Kind, byte Number, byte Offset, byte Length);

/// <summary>
/// How one message lies in its bytes: which fields, in which order, each of which length. A match's units have a few
/// dozen shapes, so that most need not be walked through field by field: some compares tell that a unit has a shape,
/// and with it where each value is.
/// </summary>
internal sealed unsafe class MessageTemplate
{
    /// <summary>Longer messages are walked through.</summary>
    public const int LongestMessage = 255;

    private const int MostSteps = 60;
    private const byte Continues = 0x80;

    // Which bits are looked at, and what they have to be.
    private readonly byte[] _pattern;
    private readonly byte[] _steps;

    private MessageTemplate(ulong present, byte[] pattern, List<RowStep> steps)
    {
        Present = present;
        _pattern = pattern;
        _steps = GC.AllocateArray<byte>(MostSteps * sizeof(RowStep), pinned: true);

        // Most fields are of these three kinds: side by side they are done in loops without a choice. What goes to
        // lists keeps its order.
        RowStep[] sorted = [.. steps.OrderBy(step => Rank(step))];
        sorted.CopyTo(new Span<RowStep>(Steps, MostSteps));
        Floats = sorted.Count(step => Rank(step) == 0);
        Flags = sorted.Count(step => Rank(step) == 1);
        Words = sorted.Count(step => Rank(step) == 2);
        Others = sorted.Length - Floats - Flags - Words;
    }

    /// <summary>The fields that are there, as bits.</summary>
    public ulong Present { get; }

    /// <summary>Steps for floats; they come first.</summary>
    public int Floats { get; }

    /// <summary>Steps for flags of one byte, which come next.</summary>
    public int Flags { get; }

    /// <summary>Steps for words of one byte, which come next.</summary>
    public int Words { get; }

    /// <summary>Steps for all else, which come last.</summary>
    public int Others { get; }

    /// <summary>The steps; they do not move.</summary>
    public RowStep* Steps => (RowStep*)Unsafe.AsPointer(ref _steps[0]);

    /// <summary>Bytes that <see cref="Fits"/> reads of a message.</summary>
    public static int Padded(int length) =>
        (length + Vector256<byte>.Count - 1) / Vector256<byte>.Count * Vector256<byte>.Count;

    /// <summary>Whether a message of this length lies in this way.</summary>
    /// <param name="at">It; <see cref="Padded"/> bytes can be read.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Fits(byte* at)
    {
        var different = Vector256<byte>.Zero;
        ref var mask = ref _pattern[0];
        var padded = (nuint)_pattern.Length / 2;
        ref var expected = ref _pattern[padded];
        for (nuint i = 0; i < padded; i += (nuint)Vector256<byte>.Count)
        {
            different |= (Vector256.Load(at + i) & Vector256.LoadUnsafe(ref mask, i))
                ^ Vector256.LoadUnsafe(ref expected, i);
        }

        return different == Vector256<byte>.Zero;
    }

    /// <summary>
    /// The shape of a message; null where it is too long, is no message, or is one that asks for more care: unknown
    /// fields, a field twice, a tag or a point that is not written in the shortest way.
    /// </summary>
    public static MessageTemplate? Of(RowLayout layout, ReadOnlySpan<byte> message)
    {
        if (message.Length > LongestMessage || layout.Exclusive != 0)
        {
            return null;
        }

        var padded = Padded(message.Length);
        var pattern = new byte[2 * padded];
        var mask = pattern.AsSpan(0, padded);
        var expected = pattern.AsSpan(padded);
        var steps = new List<RowStep>();
        var present = 0UL;
        for (var at = 0; at < message.Length;)
        {
            var tagLength = NumberLength(message[at..]);
            if (tagLength is 0 or > 2)
            {
                return null;
            }

            var tag = message[at] & ~Continues | (tagLength == 2 ? message[at + 1] << 7 : 0);
            Fix(message, mask, expected, at, tagLength, byte.MaxValue);
            at += tagLength;
            var kind = (RowField)(tag < RowLayout.FieldLimit << 3 ? (byte)layout.Fields[tag] : 0);
            var number = (byte)(tag >> 3);
            var length = kind == RowField.Float ? sizeof(float) : NumberLength(message[at..]);
            if (length == 0 || length > message.Length - at || steps.Count == MostSteps
                || kind is RowField.Unknown or RowField.Numbers)
            {
                return null;
            }

            switch (kind)
            {
                case RowField.Float:
                    break;
                case RowField.Flag or RowField.Enum:
                    if (length != 1 || message[at] > (kind == RowField.Flag ? 1 : 7))
                    {
                        return null;
                    }

                    Fix(message, mask, expected, at, 1, (byte)(kind == RowField.Flag ? ~1 : ~7));
                    break;
                case RowField.Point or RowField.Item:
                    var content = message[at];
                    if (length != 1 || content > message.Length - at - 1
                        || (kind == RowField.Point && !IsWholePoint(message.Slice(at + 1, content))))
                    {
                        return null;
                    }

                    Fix(message, mask, expected, at, 1, byte.MaxValue);
                    at++;
                    length = content;
                    for (var part = 0; kind == RowField.Point && part < 3; part++)
                    {
                        Fix(message, mask, expected, at + part * 5, 1, byte.MaxValue);
                    }

                    break;
                default:
                    Fix(message, mask, expected, at, length, Continues);
                    break;
            }

            steps.Add(new RowStep(kind, number, (byte)at, (byte)length));
            at += length;
            if (kind is not (RowField.Item or RowField.Number))
            {
                if ((present >> number & 1) != 0)
                {
                    return null;
                }

                present |= 1UL << number | (kind == RowField.Point ? RowLayout.PartBits : 0);
            }
        }

        return new MessageTemplate(present, pattern, steps);
    }

    private static int Rank(RowStep step) => step switch
    {
        { Kind: RowField.Float } => 0,
        { Kind: RowField.Flag } => 1,
        { Kind: RowField.Word, Length: 1 } => 2,
        _ => 3,
    };

    private static void Fix(
        ReadOnlySpan<byte> message, Span<byte> mask, Span<byte> expected, int at, int length, byte bits)
    {
        for (var i = at; i < at + length; i++)
        {
            mask[i] = bits;
            expected[i] = (byte)(message[i] & bits);
        }
    }

    // 0 where it does not end, or goes on for longer than a number may.
    private static int NumberLength(ReadOnlySpan<byte> bytes)
    {
        for (var i = 0; i < bytes.Length && i < 10; i++)
        {
            if (bytes[i] < Continues)
            {
                return i + 1;
            }
        }

        return 0;
    }

    private static bool IsWholePoint(ReadOnlySpan<byte> point) =>
        point is [RowReader.XTag, _, _, _, _, RowReader.YTag, _, _, _, _, RowReader.ZTag, _, _, _, _];
}

namespace Sc2Bridge.Encodings.Columns;

/// <summary>The shapes that a table's messages have had lately, by the messages' length.</summary>
internal sealed unsafe class MessageTemplates(RowLayout layout)
{
    // Of one length, the last one that fitted first.
    private const int MostOfALength = 8;

    // Learning costs more than walking through a message: where shapes are many, one is learned of so many messages,
    // and after so many messages of a length that have none, no more.
    private const int LearnedOf = 256;
    private const int MostRefused = 16;

    private readonly MessageTemplate?[] _shapes = new MessageTemplate?[(MessageTemplate.LongestMessage + 1) * MostOfALength];
    private readonly int[] _refused = new int[MessageTemplate.LongestMessage + 1];
    private int _unfitting;

    /// <summary>The shape of a message; null where it is none that is known.</summary>
    /// <param name="at">The message.</param>
    /// <param name="length">Its length.</param>
    /// <param name="end">Bytes from there on cannot be read.</param>
    public MessageTemplate? Find(byte* at, long length, byte* end)
    {
        if (length is 0 or > MessageTemplate.LongestMessage || MessageTemplate.Padded((int)length) > end - at)
        {
            return null;
        }

        var candidates = _shapes.AsSpan((int)length * MostOfALength, MostOfALength);
        for (var i = 0; i < candidates.Length; i++)
        {
            var shape = candidates[i];
            if (shape is null)
            {
                break;
            }

            if (shape.Fits(at))
            {
                if (i > 0)
                {
                    candidates[..i].CopyTo(candidates[1..]);
                    candidates[0] = shape;
                }

                return shape;
            }
        }

        Learn(candidates, new ReadOnlySpan<byte>(at, (int)length));
        return null;
    }

    private void Learn(Span<MessageTemplate?> candidates, ReadOnlySpan<byte> message)
    {
        ref var refused = ref _refused[message.Length];
        if (refused == MostRefused || (candidates[^1] is not null && ++_unfitting % LearnedOf != 0))
        {
            return;
        }

        if (MessageTemplate.Of(layout, message) is { } shape)
        {
            candidates[..^1].CopyTo(candidates[1..]);
            candidates[0] = shape;
        }
        else
        {
            refused++;
        }
    }
}

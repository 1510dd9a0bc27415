using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>Room for text in a buffer, which is not asked for at each piece. For one thread.</summary>
internal abstract class TextOutput
{
    /// <summary>What may be written without asking for room: a name, or a name with its value, a number, and closing brackets.</summary>
    protected const int Slack = TextPiece.Longest + TextNumbers.Longest + (2 * WireBytes.Deepest);

    private int _limit;

    protected MessageBuffer Output { get; private set; } = null!;

    /// <summary>The buffer's bytes.</summary>
    protected byte[] Target { get; private set; } = [];

    /// <summary>Text is appended to this buffer from now on.</summary>
    protected void Begin(MessageBuffer output)
    {
        Output = output;
        Reserve(MessageBuffer.Headroom + output.Length, Slack);
    }

    /// <summary>Ends a list or an object: the comma before its first item becomes the opening bracket.</summary>
    protected int Close(int open, int to, byte opening, byte closing)
    {
        ref var target = ref MemoryMarshal.GetArrayDataReference(Target);
        Unsafe.Add(ref target, open) = opening;
        to += to == open ? 1 : 0;
        Unsafe.Add(ref target, to) = closing;
        return to + 1;
    }

    protected void ReserveSlack(int to)
    {
        if (to > _limit)
        {
            Reserve(to, Slack);
        }
    }

    /// <summary>Makes room for at least so many bytes from here on.</summary>
    protected void Reserve(int to, int needed)
    {
        if (to > Target.Length - needed || !ReferenceEquals(Target, Output.Array))
        {
            Finish(to);
            Output.GetSpan(needed);
            Target = Output.Array;
            _limit = Target.Length - Slack;
        }
    }

    /// <summary>The text ends here.</summary>
    protected void Finish(int to)
    {
        var length = to - MessageBuffer.Headroom;
        if (length < Output.Length)
        {
            Output.Truncate(length);
        }
        else
        {
            Output.Advance(length - Output.Length);
        }
    }
}

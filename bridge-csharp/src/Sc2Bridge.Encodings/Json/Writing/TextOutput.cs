using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>Writes text to a buffer with few capacity checks. Not thread-safe.</summary>
internal abstract class TextOutput
{
    /// <summary>The number of bytes that may be written without a capacity check. This is enough for a name, a value and closing brackets.</summary>
    protected const int Slack = TextPiece.Longest + TextNumbers.Longest + (2 * WireBytes.Deepest);

    private int _limit;

    protected MessageBuffer Output { get; private set; } = null!;

    /// <summary>The buffer's bytes.</summary>
    protected byte[] Target { get; private set; } = [];

    /// <summary>Starts to append to a buffer.</summary>
    protected void Begin(MessageBuffer output)
    {
        Output = output;
        Reserve(MessageBuffer.Headroom + output.Length, Slack);
    }

    /// <summary>Ends a list or an object: replaces the comma before the first item by the opening bracket, and adds the closing bracket.</summary>
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

    /// <summary>Makes room for at least this many bytes.</summary>
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

    /// <summary>Sets the buffer's length to the end of the text.</summary>
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

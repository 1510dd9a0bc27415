using System.Runtime.CompilerServices;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encoding.Payloads;

/// <summary>
/// Makes a frame's JSON once, on a pool thread of its own. Making it takes milliseconds, and whoever else wants the same
/// text waits for it without holding a thread: with many JSON readers the pool would otherwise be full of waiting ones.
/// </summary>
internal static class FrameTexts
{
    private static readonly ConditionalWeakTable<Frame, Lazy<Task>> Making = [];

    /// <summary>The text; it lives as long as the frame, which the caller holds.</summary>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public static async ValueTask<ReadOnlyMemory<byte>> OfAsync(Frame frame)
    {
        await Making.GetValue(frame, static frame => new Lazy<Task>(() => MakeAsync(frame))).Value;
        return frame.Encoded(JsonEncoding.Instance);
    }

    // Held apart from whoever asked first: that one may leave meanwhile.
    private static Task MakeAsync(Frame frame)
    {
        frame.Retain();
        return Task.Run(() =>
        {
            try
            {
                frame.Encoded(JsonEncoding.Instance);
            }
            finally
            {
                frame.Release();
            }
        });
    }
}

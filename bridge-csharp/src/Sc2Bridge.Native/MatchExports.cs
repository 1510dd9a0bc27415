using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Native;

/// <summary>The functions for matches whose frames the caller gets.</summary>
internal static unsafe partial class Exports
{
    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_open", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchOpen(byte* settings, long length, long* handle) =>
        Open(settings, length, handle, text => new FrameMatch(FrameMatchSettings.Read(text)));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_begin", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchBegin(long handle, uint seed) => With<FrameMatch>(handle, match => match.Begin(seed));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_act", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchAct(long handle, int side, byte* actions, long length) => With<FrameMatch>(handle, match =>
        match.Act(side, Bytes(actions, length, "actions")));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_step", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchStep(long handle) => With<FrameMatch>(handle, match => match.Step());

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_frame", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchFrame(long handle, int side, Frame* frame) => With<FrameMatch>(handle, match =>
    {
        NotNull(frame, "frame");
        var (columns, gameLoop, isOver) = match.FrameOf(side);
        *frame = new Frame { Data = columns.Data, Length = columns.Length, GameLoop = gameLoop, IsOver = isOver ? 1u : 0 };
    });

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_match_request", CallConvs = [typeof(CallConvCdecl)])]
    public static int MatchRequest(long handle, int side, byte* request, long length, byte** answer, long* answerLength) =>
        With<FrameMatch>(handle, match =>
        {
            if (answer == null || answerLength == null)
            {
                throw Failure.Argument("answer and answer_length: give addresses, not null");
            }

            var response = match.Ask(side, Bytes(request, length, "request"));
            *answer = response.Data;
            *answerLength = response.Length;
        });

    /// <summary>sc2bridge_frame.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Frame
    {
        public byte* Data;
        public long Length;
        public uint GameLoop;
        public uint IsOver;
    }
}

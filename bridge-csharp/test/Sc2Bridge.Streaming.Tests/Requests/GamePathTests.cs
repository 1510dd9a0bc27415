using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Paths that clients send to the game.</summary>
public sealed class GamePathTests
{
    [Theory]
    [InlineData("../elsewhere", false)]
    [InlineData("maps/../../elsewhere", false)]
    [InlineData("..\\elsewhere", false)]
    [InlineData("/etc/passwd", false)]
    [InlineData("C:\\Windows\\win.ini", false)]
    [InlineData("\\\\server\\share\\file", false)]
    [InlineData("", false)]
    [InlineData("mine/replay", true)]
    public async Task A_path_reaches_the_game_only_if_it_stays_below_its_folders(string path, bool isPassedOn)
    {
        using var match = new TestMatch();
        foreach (var request in (Request[])
            [
                new() { ReplayInfo = new RequestReplayInfo { ReplayPath = path } },
                new() { SaveMap = new RequestSaveMap { MapPath = path } },
            ])
        {
            var asking = match.Hub.CurrentMatch.RequestAsync(
                new CallGameRequest { Request = request }, "agent", Identity.Anonymous, Ct);
            if (isPassedOn)
            {
                await asking;
                Assert.Equal(request, match.Asked[^1].Request);
            }
            else
            {
                var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => asking);
                Assert.Equal(StatusCode.PermissionDenied, refused.Code);
                Assert.Contains("leaves the game's folders", refused.Message, StringComparison.Ordinal);
                Assert.Empty(match.Asked);
            }
        }
    }

    [Fact]
    public async Task A_replay_that_is_sent_with_the_request_needs_no_path()
    {
        using var match = new TestMatch();
        var request = new Request { ReplayInfo = new RequestReplayInfo { ReplayData = Google.Protobuf.ByteString.CopyFromUtf8("a replay") } };
        await match.Hub.CurrentMatch.RequestAsync(new CallGameRequest { Request = request }, "agent", Identity.Anonymous, Ct);
        Assert.Single(match.Asked);
    }
}

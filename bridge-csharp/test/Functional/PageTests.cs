namespace Sc2Bridge.Functional.Tests;

/// <summary>The live page's address, and the browser that is opened at it.</summary>
public sealed class PageTests : MatchFolderTests
{
    private static readonly string[] _twoSides =
        ["--player", "agent:zerg", "--player", "agent:terran", "--wait", "1", "--steps", "3", "--no-recording"];

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task Its_address_is_printed_and_answers(bool apart, bool served)
    {
        using var match = Folder.Match(
            [.. apart ? _twoSides : ["--wait", "1", "--steps", "3", "--no-recording"], .. served ? [] : (string[])["--no-page"]]);
        await match.LineAsync("gRPC on");
        if (served)
        {
            var address = new Uri((await match.LineAsync("Watch it")).Split(' ')[^1]);
            using var http = new HttpClient();
            Assert.Contains("<title>", await http.GetStringAsync(address, Ct), StringComparison.Ordinal);

            // Two sides are kept apart: the person who runs the match may see both.
            Assert.Equal(apart, address.Fragment.StartsWith("#token=", StringComparison.Ordinal));
            using var viewer = await WatchAsync(address);
            await viewer.SendAsync(new V1.PlayRequest { Subscribe = new V1.SubscribeRequest { Perspective = apart ? 2u : 0 } });
            await HearAsync(viewer);
            (await match.EndAsync()).Well();
        }
        else
        {
            match.Signal(BridgeProcess.Interrupt);
            Assert.DoesNotContain("Watch it", (await match.EndAsync()).Told, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Open_shows_it_to_a_browser_and_keeps_its_token_from_command_lines()
    {
        using var match = Folder.Match([.. _twoSides, "--open"], [("PATH", Browser())]);
        var address = (await match.LineAsync("Watch it")).Split(' ')[^1];
        var shown = await ShownAsync(match);
        Assert.DoesNotContain("token", shown, StringComparison.Ordinal);
        var opened = await File.ReadAllTextAsync(shown, Ct);
        Assert.Contains($"url={address}", opened, StringComparison.Ordinal);
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(shown));
        }

        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        Assert.False(File.Exists(shown));
    }

    [Fact]
    public async Task A_recording_that_is_opened_begins_when_the_page_is_there()
    {
        (await Folder.PlayAsync("--steps", "5")).Well();
        var file = Path.Combine(Folder.Out, "match.mcap");
        using var inspect = BridgeProcess.Start((IEnumerable<string>)["inspect", file]);
        Assert.Contains($"sc2bridge replay {file} --open", (await inspect.EndAsync()).Output, StringComparison.Ordinal);

        using var replay = Folder.Replay(file, ["--open"], ("PATH", Browser()));
        var shown = await ShownAsync(replay);
        Assert.Equal(shown, (await replay.LineAsync("Watch it")).Split(' ')[^1]);
        using var viewer = await WatchAsync(new Uri(shown));
        await viewer.SubscribeAsync();

        // It repeats from its first step.
        Assert.Equal(0u, (await viewer.ReceiveAsync())!.Frame.Step);
        V1.PlayResponse? next;
        do
        {
            next = await viewer.ReceiveAsync();
        }
        while (next!.EventCase == V1.PlayResponse.EventOneofCase.Frame);

        Assert.Equal((22.4, true), (next.Playback.Rate, next.Playback.Repeats));
        replay.Signal(BridgeProcess.Interrupt);
        await replay.EndAsync();
    }

    [Fact]
    public async Task Without_a_browser_the_match_continues()
    {
        using var match = Folder.Match(
            ["--steps", "3", "--wait", "1", "--no-recording", "--open"], [("PATH", Browser("exit 3"))]);
        await match.LineAsync("--open: no browser could be opened");
        using var viewer = await WatchAsync(new Uri((await match.LineAsync("Watch it")).Split(' ')[^1]));
        await viewer.SubscribeAsync();
        await HearAsync(viewer);
        (await match.EndAsync()).Well();
    }

    [Fact]
    public async Task Open_and_no_page_contradict_each_other() =>
        (await Folder.PlayAsync("--open", "--no-page")).Says(2, "--open contradicts --no-page");

    // A folder with a browser that notes its address. It comes first on the path.
    private string Browser(string? does = null)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Folder.Path, "browser")).FullName;
        var script = Path.Combine(folder, "xdg-open");
        does ??= $"echo $1 >{folder}/.shown && mv {folder}/.shown {folder}/shown";
        File.WriteAllText(script, $"#!/bin/sh\n{does}\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(script, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return $"{folder}:{Environment.GetEnvironmentVariable("PATH")}";
    }

    private async Task<string> ShownAsync(BridgeProcess process)
    {
        var file = Path.Combine(Folder.Path, "browser", "shown");
        await process.UntilAsync(() => File.Exists(file));
        return (await File.ReadAllTextAsync(file, Ct)).TrimEnd();
    }

    // To the match's end; there are frames before it.
    private static async Task HearAsync(AgentSocket viewer)
    {
        Assert.NotNull((await viewer.ReceiveAsync())!.Frame);
        while (await viewer.ReceiveAsync() is { } heard)
        {
            Assert.Null(heard.Error);
        }
    }

    private static Task<AgentSocket> WatchAsync(Uri page)
    {
        var token = page.Fragment.Length > 0 ? $"?token={page.Fragment["#token=".Length..]}" : "";
        return AgentSocket.ConnectAsync($"ws://{page.Authority}/v1{token}", "sc2bridge.proto.v1");
    }
}

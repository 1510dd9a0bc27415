using SC2APIProtocol;

namespace Sc2Bridge.Games;

/// <summary>
/// A game to watch replays in, of the very version that each needs: a replay is what players did, and shows the match
/// again only where the same game plays it. It runs on from one replay to the next for as long as the version is the
/// same.
/// </summary>
/// <remarks>
/// Which version that is stands in the replay's beginning, and is what <c>replay_info</c> tells (base_build and
/// data_version, against those of <c>ping</c>): the game is started anew in <c>Versions/BaseNNNNN</c> with
/// <c>-dataVersion</c>, as Blizzard's own client does (s2client-api, Coordinator). For one replay at a time.
/// </remarks>
public sealed class ReplayGame : IAsyncDisposable
{
    private readonly GameLaunch? _launch;
    private readonly GameAddress? _address;
    private readonly GameClientOptions _options;
    private readonly IMachine _machine;
    private RunningGame? _running;
    private GameLaunch? _started;

    /// <summary>A game that is started when a replay needs it.</summary>
    /// <param name="launch">The newest installed game, or the simulated one.</param>
    /// <param name="options">How to treat its connection; null for the usual.</param>
    public ReplayGame(GameLaunch launch, GameClientOptions? options = null)
        : this(options, new ThisMachine())
    {
        ArgumentNullException.ThrowIfNull(launch);
        _launch = launch;
    }

    /// <summary>A game that already runs, in one version; it is left running.</summary>
    /// <param name="address">Where.</param>
    /// <param name="options">How to treat its connection; null for the usual.</param>
    public ReplayGame(GameAddress address, GameClientOptions? options = null)
        : this(options, new ThisMachine())
    {
        ArgumentNullException.ThrowIfNull(address);
        _address = address;
    }

    private ReplayGame(GameClientOptions? options, IMachine machine)
    {
        _options = options ?? new GameClientOptions();
        _machine = machine;
    }

    /// <summary>The installation of the game that was started here; null for any other.</summary>
    internal Installation? Installation => _launch?.Installation;

    /// <summary>Has the game ready that plays a replay.</summary>
    /// <exception cref="GameException">It cannot: the message says what is missing.</exception>
    internal async Task<OpenedReplay> OpenAsync(Replay replay, CancellationToken ct)
    {
        if (_address is not null)
        {
            _running ??= await RunningGame.AttachAsync(_address, _options, ct);
            return await AskAsync(_running, replay, ct);
        }

        var opened = await OpenAsync(First(replay), replay, ct);
        if (Installation is not null && !opened.IsOfItsVersion && opened.BaseBuild is { } build)
        {
            opened = await OpenAsync(Exact(opened, build), replay, ct);
            if (opened.Ping.BaseBuild != build)
            {
                throw new GameException(
                    $"{replay.Path} needs build {build} of StarCraft II, but what stands in Versions/Base{build} is "
                    + $"build {opened.Ping.BaseBuild}. Repair the installation.");
            }
        }

        return opened;
    }

    /// <summary>Ends the game that was started here; leaves the replay in one that was attached to.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_running is { } running)
        {
            _running = null;
            await running.DisposeAsync();
        }
    }

    private static async Task<OpenedReplay> AskAsync(RunningGame game, Replay replay, CancellationToken ct)
    {
        var ping = (await game.Client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;
        var asked = new RequestReplayInfo { ReplayData = replay.Bytes, DownloadData = true };
        var answer = await game.Client.ExchangeAsync(new Request { ReplayInfo = asked }, ct);
        if (answer.ReplayInfo is not { } info)
        {
            throw new GameRequestException(Request.RequestOneofCase.ReplayInfo, [.. answer.Error]);
        }

        if (!info.HasError)
        {
            return new OpenedReplay(replay, game, ping, info, null);
        }

        // The game cannot tell of a replay whose map it has not cached, and plays it all the same where it is given the
        // map (cpp-sc2 issue 25, pysc2 issue 337).
        var details = info.ErrorDetails.TrimEnd('.');
        var problem = $"{info.Error}{(details.Length > 0 ? $": {details}" : "")}";
        return info.Error is ResponseReplayInfo.Types.Error.ParsingError or ResponseReplayInfo.Types.Error.DownloadError
            && replay.Head.Kind == ReplayKind.StarCraft
            ? new OpenedReplay(replay, game, ping, null, problem)
            : throw new GameException($"The game cannot read the replay {replay.Path} ({problem}). Is it whole?");
    }

    private async Task<OpenedReplay> OpenAsync(GameLaunch launch, Replay replay, CancellationToken ct)
    {
        if (_running is { } running && _started == launch)
        {
            try
            {
                return await AskAsync(running, replay, ct);
            }
            catch (GameRequestException)
            {
                throw;
            }
            catch (GameException) when (running.Client.IsBroken)
            {
                // It ended with the replay before this one.
            }
        }

        await DisposeAsync();
        _running = await RunningGame.StartAsync(launch, _options, ct);
        _started = launch;
        return await AskAsync(_running, replay, ct);
    }

    // By what the file says, where it does; else the one that runs, or the newest, which can tell.
    private GameLaunch First(Replay replay)
    {
        if (Installation is not { } installation || replay.Head is not { BaseBuild: { } build } head)
        {
            return _started ?? _launch!;
        }

        return installation.OfBuild(_machine, build) is { } exact
            ? Of(exact, head.DataVersion)
            : CanDownload(installation) ? _launch!
            : throw Missing(installation, replay, build, head.GameVersion);
    }

    private GameLaunch Exact(OpenedReplay opened, int build) =>
        Installation!.OfBuild(_machine, build) is { } exact
            ? Of(exact, opened.DataVersion)
            : throw Missing(Installation, opened.Replay, build, opened.GameVersion);

    private GameLaunch Of(Installation installation, string dataVersion) =>
        _launch!.With(installation) with { DataVersion = dataVersion.Length > 0 ? dataVersion : null };

    // The newest game fetches what an old replay needs on Windows and macOS; Blizzard's Linux packages do not
    // (protocol.md, "Downloading Old Versions").
    private static bool CanDownload(Installation installation) => installation.Platform != GamePlatform.Linux;

    private GameException Missing(Installation installation, Replay replay, int build, string version)
    {
        var there = installation.Builds(_machine);
        return new GameException(
            $"{replay.Path} was played in {(version.Length > 0 ? $"version {version}" : "another version")} of "
            + $"StarCraft II: Versions/Base{build} is not in {installation.Root} (there is {string.Join(", ", there)}). "
            + (CanDownload(installation)
                ? "Open the replay once in the game itself, which downloads it."
                : "Unpack Blizzard's Linux package of that version there."));
    }
}

/// <summary>A replay, and the game that is ready to play it.</summary>
/// <param name="Replay">The replay.</param>
/// <param name="Game">The game.</param>
/// <param name="Ping">The game's versions.</param>
/// <param name="Info">What the game tells of the replay; null where it cannot.</param>
/// <param name="Problem">Why it cannot.</param>
internal sealed record OpenedReplay(
    Replay Replay, RunningGame Game, ResponsePing Ping, ResponseReplayInfo? Info, string? Problem)
{
    /// <summary>The build that plays it; null where nobody knows.</summary>
    public int? BaseBuild => Info is { BaseBuild: > 0 and <= int.MaxValue } info
        ? (int)info.BaseBuild
        : Replay.Head.BaseBuild;

    /// <summary>The data that it was played with; empty where nobody knows.</summary>
    public string DataVersion => Info is { DataVersion.Length: > 0 } info ? info.DataVersion : Replay.Head.DataVersion;

    /// <summary>The version as people write it; empty where nobody knows.</summary>
    public string GameVersion => Info is { GameVersion.Length: > 0 } info ? info.GameVersion : Replay.Head.GameVersion;

    /// <summary>Whether the game is the one that it was played in. One that does not number itself is any.</summary>
    public bool IsOfItsVersion => Ping.BaseBuild == 0 || BaseBuild is null
        || (Ping.BaseBuild == BaseBuild && (DataVersion.Length == 0
            || DataVersion.Equals(Ping.DataVersion, StringComparison.OrdinalIgnoreCase)));
}

using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Runs matches, one after another, from set-up to summary. The hub, the servers and the agents stay for all matches. Each
/// match has its own source and logs.
/// </summary>
internal sealed class StreamingSession(SessionOptions options)
{
    private readonly SessionConsole _console = new();
    private readonly FailedWrites _failedWrites = new();

    /// <summary>Runs the matches.</summary>
    /// <param name="matchFactories">
    /// Functions that create the matches. Each is called when its match starts. Its argument is a function that prints the chosen game.
    /// </param>
    /// <param name="interrupted">Stops the match and the session.</param>
    /// <param name="createNext">
    /// Creates the next match with the seed that a client requested. Null if the session ends after the matches of the factories.
    /// </param>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(
        IReadOnlyList<Func<Action<string>, StreamedMatch>> matchFactories, CancellationToken interrupted,
        Func<uint, Func<Action<string>, StreamedMatch>>? createNext = null)
    {
        try
        {
            options.CheckFiles();
            var repair = new OutputRepair(_console.Print);
            repair.RepairIn(Path.GetDirectoryName(Path.GetFullPath(options.OutputFolder)) ?? options.OutputFolder);
            if (options.RecordingFile is { } recording)
            {
                repair.RepairFile(recording);
            }

            using var folder = OutputFolder.Claim(options.OutputFolder, options.MayNumberFolder);
            options = options.InFolder(folder.Path);
            if (options.RecordingFile != SessionOptions.DefaultRecording(folder.Path))
            {
                folder.NoteRecording(options.RecordingFile);
            }

            folder.NotePostMortem(new PostMortemNote(options.PostMortem, options.AgentVariables, options.Access.TokenFile));
            using var crash = options.PostMortem == PostMortemMode.Never ? null : new CrashNote(folder.Path);

            try
            {
                var code = await PlayAsync(matchFactories, createNext, interrupted);
                folder.NoteEnd();
                return code;
            }
            catch (Exception error) when (!Failures.HasCommandBegun && (error is OperationCanceledException || Failures.IsUserError(error)))
            {
                // Other exceptions are defects. After a defect, the folder is kept, because it contains the log.
                folder.Discard();
                throw;
            }
            catch
            {
                folder.NoteEnd();
                throw;
            }
        }
        finally
        {
            await _console.DrainAsync();
        }
    }

    /// <summary>Writes the address for an unmodified bot, if a program reads events.</summary>
    internal void EmitBotAddress(uint player, GameAddress bot)
    {
        if (options.PrintsEvents)
        {
            _console.EmitEvent("bot_address", new BotAddressEvent(player, bot.Host, bot.Port), JsonReports.Default.BotAddressEvent);
        }
    }

    private async Task<int> PlayAsync(
        IReadOnlyList<Func<Action<string>, StreamedMatch>> matchFactories, Func<uint, Func<Action<string>, StreamedMatch>>? createNext,
        CancellationToken interrupted)
    {
        var memoryName = options.Server.SharedMemoryName;
        if (options.Access.SidesApart.Count == 0)
        {
            memoryName ??= options.Agents.Any(agent => agent.IsAuto) ? BridgeServerOptions.NewSharedMemoryName() : null;
        }
        else if (memoryName is not null)
        {
            throw new CommandException("shared memory contains the frames of every side, and this match keeps its sides apart: leave out --shm and @shm");
        }

        var access = new SessionAccess(options);
        var summary = new SessionSummary(options, _failedWrites);
        var restarts = createNext is null ? null : new Restarts();
        var series = matchFactories.Count > 1 || restarts is not null ? new Series(options.Retention) : null;
        using var logs = BridgeLog.Open(
            options.OutputFolder, options.LogLevel, _console.PrintAlways,
            problem => _failedWrites.Add(Path.Combine(options.OutputFolder, BridgeLog.FileName), problem));
        _console.LogTo(logs.CreateLogger<SessionConsole>());
        using var hub = new Hub(options.Hub with
        {
            LoggerFactory = logs,
            Restarts = restarts,
            SidesApart = options.Access.SidesApart.Count > 0,
        });
        hub.Events.Noticed += _console.Print;
        using var health = new HealthOfBridge(hub);

        var compression = new SharedCompression(hub.Memory);

        // Files that cannot be created are reported before the servers listen.
        var firstFailedWrites = CreateFailedWrites(series);
        using var firstMatch = new SessionMatch(OptionsFor(series, 1), hub, health, _console, firstFailedWrites, compression, logs);
        if (options.Access.Tls is { } tls)
        {
            // Clients use this file to trust the server.
            await using var pem = LogFile.Open(options.OutputFolder, OutputFolder.CertificateName);
            await pem.WriteAsync(tls.Certificate.ExportCertificatePem());
            await pem.FlushAsync(interrupted);
        }

        // The chosen game is printed only after the servers have started, so that a failed start prints only the error.
        List<string> earlyLines = [];
        Action<string> print = earlyLines.Add;
        var firstChosen = matchFactories[0](line => print(line));
        await using var server = await NameOptionOnFailureAsync(BridgeServer.StartAsync(
            hub,
            options.Server with
            {
                SharedMemoryName = memoryName,
                Health = health,
                Compression = compression,
                Tokens = access.Tokens,
                AllowAnonymous = options.Access.IsInsecure,
                Tls = options.Access.Tls,
                LoggerFactory = logs,
            },
            interrupted));
        await using var agents = new AgentProcesses(
            hub, options, access, server, _console.Print);
        Failures.MarkCommandBegun();
        earlyLines.ForEach(_console.Print);
        print = _console.Print;
        if (options.PrintsEvents)
        {
            _console.EmitEvent("listening", Listening(access, server), JsonReports.Default.ListeningEvent);
        }

        foreach (var line in access.ConnectionHints(server.GrpcAddress, server.WebAddress))
        {
            _console.Print(line);
        }

        if (access.PageAddress(server.WebAddress, isSameMachine: false) is { } page)
        {
            _console.Print($"Watch it in a browser: {page}");
        }

        var postMortems = new SessionPostMortems(options, access.TokenTexts, _console.Print);
        using var browser = options.OpensPage && access.PageAddress(server.WebAddress, isSameMachine: true) is { } address
            ? Browser.Open(address, options.OutputFolder, _console.Print) : null;
        SessionMatch.PlayedMatch? played = null;
        for (var number = 1; (number <= matchFactories.Count || restarts is not null) && !interrupted.IsCancellationRequested; number++)
        {
            try
            {
                if (number > matchFactories.Count)
                {
                    await restarts!.Requested.WaitAsync(interrupted);
                }

                var matchOptions = OptionsFor(series, number);
                var failedWrites = number == 1 ? firstFailedWrites : CreateFailedWrites(series);
                var chosen = number == 1 ? firstChosen
                    : (number > matchFactories.Count ? createNext!(restarts!.Dequeue()) : matchFactories[number - 1])(static _ => { });
                await using var source = chosen.Source;
                using var match = number == 1 ? firstMatch : new SessionMatch(matchOptions, hub, health, _console, failedWrites, compression, logs);
                agents.StartOnce(chosen.Rate.Realtime);
                try
                {
                    SessionMatch.PlayedMatch? ended = null;
                    try
                    {
                        played = ended = await match.PlayAsync(
                            chosen, agents, restarts, isFirst: number == 1,
                            nextFollows: number < matchFactories.Count || restarts is not null,
                            addresses: $"gRPC on {server.GrpcAddress}, WebSocket on {WebSocket(server)}"
                                + (server.SharedMemoryAddress is { Length: > 0 } memory ? $", {memory}" : ""), interrupted);
                    }
                    catch (Exception error)
                    {
                        match.Collector.Facts.Error = error;
                        throw;
                    }
                    finally
                    {
                        match.Dispose();

                        // The summary is written first, because the post-mortem takes longer.
                        if (ended is not null)
                        {
                            failedWrites.WriteReport(
                                JsonReports.Text(ended.Report, JsonReports.Default.MatchReport),
                                Path.Combine(matchOptions.OutputFolder, "summary.json"));
                        }

                        await postMortems.WriteAsync(match.Collector, agents, matchOptions, interrupted);
                    }

                    series?.Add(matchOptions.OutputFolder, played, failedWrites.Summary);
                    if (series is not null && failedWrites.Summary is { } line)
                    {
                        _console.AddProblem($"game {number}: {line}");
                    }
                }
                catch (GameException problem) when (number > 1)
                {
                    _console.AddProblem($"game {number} could not be started: {problem.Message}");
                    series!.Add(matchOptions.OutputFolder, chosen, problem.Message);
                }

                summary.WriteSeries(series);
            }
            catch (Exception problem) when (number > 1 && Failures.IsUserError(problem))
            {
                // For example, the disk is full, the game is missing, or an agent did not return. The games so far are reported.
                _console.AddProblem($"the series ends before game {number}: {problem.Message}");
                break;
            }
            catch (OperationCanceledException) when (number > 1 && interrupted.IsCancellationRequested)
            {
                break;
            }
        }

        // All lines of the match are printed before the summary, and none after the summary.
        hub.Events.Noticed -= _console.Print;
        await hub.Events.FlushAsync();
        summary.WriteJson(series, played);
        await _console.DrainAsync();
        try
        {
            summary.Print(_console.Results, series, played);
        }
        catch (OutputException lost)
        {
            _console.AddProblem(lost.Message);
        }

        foreach (var line in summary.NextSteps(played))
        {
            _console.Print(line);
        }

        if (_failedWrites.Summary is { } files)
        {
            _console.AddProblem(files);
        }

        foreach (var problem in _console.Problems)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {problem}");
        }

        // Tracebacks are printed last, because users look at the last lines first.
        foreach (var line in agents.Tracebacks)
        {
            _console.PrintAlways(line);
        }

        return interrupted.IsCancellationRequested ? Failures.Interrupted
            : _console.Problems.Count > 0 || played?.Failed == true ? 1 : 0;
    }

    private ListeningEvent Listening(SessionAccess access, BridgeServer server) => new(
        Environment.ProcessId, options.OutputFolder, server.GrpcAddress, WebSocket(server), access.PageAddress(server.WebAddress, isSameMachine: false),
        server.SharedMemoryAddress is { Length: > 0 } memory ? memory : null, [.. access.PrintedTokens], options.Access.Tls?.Fingerprint);

    private string WebSocket(BridgeServer server) => $"{(options.Access.Tls is null ? "ws" : "wss")}://{server.WebAddress}/v1";

    // Adds the option that names the address to the error. The server does not know the options.
    private async Task<BridgeServer> NameOptionOnFailureAsync(Task<BridgeServer> starting)
    {
        try
        {
            return await starting;
        }
        catch (AddressInUseException taken)
        {
            var flag = Names(options.GrpcAddress) ? "--grpc" : Names(options.WebAddress) ? "--web" : "--shm";
            var free = flag is "--shm" ? "" : $": {flag} 127.0.0.1:0 takes a free port";
            throw new CommandException($"{taken.Message.TrimEnd('.')} with {flag}{free}", taken);

            bool Names(string address) => taken.Address.Split(" or ").Contains(address);
        }
    }

    // Each game of a series reports its own failed files. For a single match, the session reports the failed files.
    private FailedWrites CreateFailedWrites(Series? series) => series is null ? _failedWrites : new FailedWrites();

    // Each game of a series has its own folder.
    private SessionOptions OptionsFor(Series? series, int number)
    {
        if (series is null)
        {
            return options;
        }

        var folder = Path.Combine(options.OutputFolder, $"game-{number:000}");
        return options with
        {
            OutputFolder = folder,
            RecordingFile = options.RecordingFile is null ? null : SessionOptions.DefaultRecording(folder),
        };
    }
}

using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Matches, one after another, from their set-up to their summaries: the hub, the servers and the agents, which stay,
/// and each match's source and logs, wired together.
/// </summary>
internal sealed class StreamingSession(SessionOptions options)
{
    private readonly SessionConsole _console = new();
    private readonly FailedWrites _failedWrites = new();

    /// <summary>Plays them.</summary>
    /// <param name="choices">
    /// What is streamed: each is called when its turn has come, with where to say which game it is.
    /// </param>
    /// <param name="interrupted">Stops the match, and the session with it.</param>
    /// <param name="again">
    /// Where matches go on until the session is stopped: the next, with the seed that a client asked for. Else null.
    /// </param>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(
        IReadOnlyList<Func<Action<string>, StreamedMatch>> choices, CancellationToken interrupted,
        Func<uint, Func<Action<string>, StreamedMatch>>? again = null)
    {
        try
        {
            options.CheckFiles();
            var cut = new CutOutput(_console.Say);
            cut.RepairIn(Path.GetDirectoryName(Path.GetFullPath(options.OutputFolder)) ?? options.OutputFolder);
            if (options.RecordingFile is { } recording)
            {
                cut.RepairFile(recording);
            }

            using var folder = OutputFolder.Claim(options.OutputFolder, options.MayNumberFolder);
            options = options.In(folder.Path);
            if (options.RecordingFile != SessionOptions.UsualRecording(folder.Path))
            {
                folder.Note(options.RecordingFile);
            }

            try
            {
                return await PlayAsync(choices, again, interrupted);
            }
            catch (Exception error) when (!Failures.HasBegun && (error is OperationCanceledException || Failures.IsForAPerson(error)))
            {
                // After a defect, the log is kept.
                folder.Discard();
                throw;
            }
        }
        finally
        {
            await _console.EndAsync();
        }
    }

    /// <summary>Writes the address for an unmodified bot, if a program reads events.</summary>
    internal void EmitBotAddress(uint player, GameAddress bot)
    {
        if (options.PrintsEvents)
        {
            _console.Emit("bot_address", new BotAddressEvent(player, bot.Host, bot.Port), JsonReports.Default.BotAddressEvent);
        }
    }

    private async Task<int> PlayAsync(
        IReadOnlyList<Func<Action<string>, StreamedMatch>> choices, Func<uint, Func<Action<string>, StreamedMatch>>? again,
        CancellationToken interrupted)
    {
        var memoryName = options.Server.SharedMemoryName;
        if (options.Access.SidesApart.Count == 0)
        {
            memoryName ??= options.Agents.Any(agent => agent.IsAuto) ? BridgeServerOptions.NewSharedMemoryName() : null;
        }
        else if (memoryName is not null)
        {
            throw new CommandException("memory is shared whole, so that sides would not be apart: leave out --shm and @shm");
        }

        var access = new SessionAccess(options);
        var summary = new SessionSummary(options, _failedWrites);
        var restarts = again is null ? null : new Restarts();
        var series = choices.Count > 1 || restarts is not null ? new Series(options.Retention) : null;
        using var logs = BridgeLog.Open(
            options.OutputFolder, options.LogLevel, _console.Warn,
            problem => _failedWrites.Add(Path.Combine(options.OutputFolder, BridgeLog.FileName), problem));
        _console.LogTo(logs.CreateLogger<SessionConsole>());
        using var hub = new Hub(options.Hub with
        {
            LoggerFactory = logs,
            Restarts = restarts,
            SidesApart = options.Access.SidesApart.Count > 0,
        });
        hub.Events.Noticed += _console.Say;
        using var health = new HealthOfBridge(hub);

        var compression = new SharedCompression(hub.Memory);

        // Before anything listens: files that cannot be made are reported at once.
        var firsts = Files(series);
        using var first = new SessionMatch(Options(series, 1), hub, health, _console, firsts, compression, logs);
        if (options.Access.Tls is { } tls)
        {
            // For clients, which are told to trust it.
            await using var pem = LogFile.Open(options.OutputFolder, OutputFolder.CertificateName);
            await pem.WriteAsync(tls.Certificate.ExportCertificatePem());
            await pem.FlushAsync(interrupted);
        }

        // A game that cannot be played on, too. A command that is refused says nothing else.
        List<string> early = [];
        Action<string> say = early.Add;
        var opening = choices[0](line => say(line));
        await using var server = await NameFlagAsync(BridgeServer.StartAsync(
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
            hub, options, access, server, _console.Say);
        Failures.Begin();
        early.ForEach(_console.Say);
        say = _console.Say;
        if (options.PrintsEvents)
        {
            _console.Emit("listening", Listening(access, server), JsonReports.Default.ListeningEvent);
        }

        foreach (var line in access.Lines(server.GrpcAddress, server.WebAddress))
        {
            _console.Say(line);
        }

        if (access.Page(server.WebAddress, near: false) is { } page)
        {
            _console.Say($"Watch it in a browser: {page}");
        }

        using var browser = options.OpensPage && access.Page(server.WebAddress, near: true) is { } address
            ? Browser.Open(address, options.OutputFolder, _console.Say) : null;
        SessionMatch.Played? played = null;
        for (var number = 1; (number <= choices.Count || restarts is not null) && !interrupted.IsCancellationRequested; number++)
        {
            try
            {
                if (number > choices.Count)
                {
                    await restarts!.Asked.WaitAsync(interrupted);
                }

                var own = Options(series, number);
                var failedWrites = number == 1 ? firsts : Files(series);
                var chosen = number == 1 ? opening
                    : (number > choices.Count ? again!(restarts!.Take()) : choices[number - 1])(static _ => { });
                await using var source = chosen.Source;
                using var match = number == 1 ? first : new SessionMatch(own, hub, health, _console, failedWrites, compression, logs);
                agents.Start(chosen.Rate.Realtime);
                try
                {
                    played = await match.PlayAsync(
                        chosen, agents, restarts, isFirst: number == 1,
                        nextFollows: number < choices.Count || restarts is not null,
                        where: $"gRPC on {server.GrpcAddress}, WebSocket on {WebSocket(server)}"
                            + (server.SharedMemoryAddress is { Length: > 0 } memory ? $", {memory}" : ""), interrupted);
                    match.Dispose();
                    failedWrites.Write(
                        JsonReports.Text(played.Report, JsonReports.Default.MatchReport),
                        Path.Combine(own.OutputFolder, "summary.json"));
                    series?.Add(own.OutputFolder, played, failedWrites.Line);
                    if (series is not null && failedWrites.Line is { } line)
                    {
                        _console.Fail($"game {number}: {line}");
                    }
                }
                catch (GameException problem) when (number > 1)
                {
                    _console.Fail($"game {number} could not be started: {problem.Message}");
                    series!.Add(own.OutputFolder, chosen, problem.Message);
                }

                summary.Write(series);
            }
            catch (Exception problem) when (number > 1 && Failures.IsForAPerson(problem))
            {
                // No room for its files, no game, or an agent that does not come back: the games before it are reported.
                _console.Fail($"the series ends before game {number}: {problem.Message}");
                break;
            }
            catch (OperationCanceledException) when (number > 1 && interrupted.IsCancellationRequested)
            {
                break;
            }
        }

        // Earlier lines are printed before the summary, and none after it.
        hub.Events.Noticed -= _console.Say;
        await hub.Events.FlushAsync();
        summary.WriteJson(series, played);
        await _console.EndAsync();
        summary.Print(_console.Results, series, played);
        foreach (var line in summary.NextSteps(played))
        {
            _console.Say(line);
        }

        if (_failedWrites.Line is { } files)
        {
            _console.Fail(files);
        }

        foreach (var problem in _console.Problems)
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {problem}");
        }

        // Below the tables, where the reader looks first.
        foreach (var line in agents.Tracebacks)
        {
            _console.Warn(line);
        }

        return interrupted.IsCancellationRequested ? Failures.Interrupted
            : _console.Problems.Count > 0 || played?.Failed == true ? 1 : 0;
    }

    private ListeningEvent Listening(SessionAccess access, BridgeServer server) => new(
        Environment.ProcessId, options.OutputFolder, server.GrpcAddress, WebSocket(server), access.Page(server.WebAddress, near: false),
        server.SharedMemoryAddress is { Length: > 0 } memory ? memory : null, [.. access.Printed], options.Access.Tls?.Fingerprint);

    private string WebSocket(BridgeServer server) => $"{(options.Access.Tls is null ? "ws" : "wss")}://{server.WebAddress}/v1";

    // The server does not know the options that name its addresses.
    private async Task<BridgeServer> NameFlagAsync(Task<BridgeServer> starting)
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

    // Each game of a series tells of its own files; else the match's are the session's.
    private FailedWrites Files(Series? series) => series is null ? _failedWrites : new FailedWrites();

    // Each game of a series has a folder of its own.
    private SessionOptions Options(Series? series, int number)
    {
        if (series is null)
        {
            return options;
        }

        var folder = Path.Combine(options.OutputFolder, $"game-{number:000}");
        return options with
        {
            OutputFolder = folder,
            RecordingFile = options.RecordingFile is null ? null : SessionOptions.UsualRecording(folder),
        };
    }
}

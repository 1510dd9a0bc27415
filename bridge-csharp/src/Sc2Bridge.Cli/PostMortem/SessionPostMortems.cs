using Sc2Bridge.GameApi;
using Sc2Bridge.Processes;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Writes the post-mortems of a session's matches. A failure only prints a line, and the time is limited.</summary>
/// <param name="options">The options of the session.</param>
/// <param name="tokens">The tokens of the session.</param>
/// <param name="print">Prints a line.</param>
internal sealed class SessionPostMortems(SessionOptions options, IEnumerable<string> tokens, Action<string> print)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan InterruptedTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan PythonTimeout = TimeSpan.FromSeconds(5);

    // After the timeout, the report is written without a recording. This needs little time, unless the disk hangs.
    private static readonly TimeSpan ReportTimeout = TimeSpan.FromSeconds(5);

    private readonly AnonymousText _redaction = AnonymousText.ForThisUser(tokens, options.AgentVariables);
    private string? _python;

    /// <summary>Writes the post-mortem of a match that has ended, if its end requires one.</summary>
    /// <param name="collector">What was noticed during the match.</param>
    /// <param name="agents">The started agents.</param>
    /// <param name="match">The options of the match, with its folder. Its files are complete.</param>
    /// <param name="interrupted">Shortens the time, because the user waits for the end of the program.</param>
    internal async Task WriteAsync(FactCollector collector, AgentProcesses agents, SessionOptions match, CancellationToken interrupted)
    {
        if (options.PostMortem == PostMortemMode.Never)
        {
            return;
        }

        using var timeout = new CancellationTokenSource(Timeout);
        using var shortened = interrupted.Register(() => timeout.CancelAfter(InterruptedTimeout));
        try
        {
            var facts = await collector.CompleteAsync(agents, timeout.Token);
            if (facts.Error is OperationCanceledException)
            {
                if (facts.End is null)
                {
                    return;
                }

                // The user interrupted the bridge after the match had ended. That is not the cause of this end.
                facts.Error = null;
            }

            var isAlways = options.PostMortem == PostMortemMode.Always;
            if ((facts.End is null && IsWrongRequest(facts))
                || (!isAlways && !CauseFinder.IsAbnormal(new CauseFinder(facts, static (_, _) => null).Find([])[0])))
            {
                return;
            }

            var python = _python ??= options.Agents.Count > 0 ? await AskPythonAsync(timeout.Token) : "";
            var writer = new PostMortemWriter(
                match.OutputFolder, match.RecordingFile, Path.Combine(options.OutputFolder, BridgeLog.FileName), _redaction);
            var written = Task.Run(() => writer.Write(facts, python, timeout.Token), CancellationToken.None);
            using var atTimeout = new CancellationTokenSource();
            await using var limit = timeout.Token.Register(() => atTimeout.CancelAfter(ReportTimeout));
            print(await written.WaitAsync(atTimeout.Token));
            KeptBundles.Apply(options.OutputFolder);
        }
#pragma warning disable CA1031 // A post-mortem that fails must not change the result of the match.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            print($"the post-mortem in {match.OutputFolder} could not be written: {(failure is OperationCanceledException ? "it took too long" : failure.Message)}");
        }
    }

    // A match that was never possible, such as one on a missing map, has no post-mortem.
    private static bool IsWrongRequest(EndFacts facts) => facts.Error is CommandException and not AgentStartException
        || (facts.Error is GameException { Fault: GameFault.Other, ExitCode: null } && facts.Bots.All(bot => bot.Fault is null));

    private async Task<string> AskPythonAsync(CancellationToken ct)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(ct);
        timeout.CancelAfter(PythonTimeout);
        try
        {
            var start = ChildEnvironment.CreateStartInfo(ChildKind.Agent, PythonInterpreter.Find(options.Python), ["--version"]);
            return (await ProcessRun.RunToEndAsync(start, timeout.Token)).Trim().Replace("Python ", "", StringComparison.Ordinal);
        }
        catch (Exception failed) when (failed is CommandException or OperationCanceledException)
        {
            return "";
        }
    }
}

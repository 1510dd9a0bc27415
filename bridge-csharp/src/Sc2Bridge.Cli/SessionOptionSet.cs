using System.CommandLine;
using System.CommandLine.Parsing;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that commands share which stream to agents.</summary>
internal sealed class SessionOptionSet : OptionSet
{
    /// <summary>The agent that is started where none is named: it watches, whichever side.</summary>
    internal const string Watcher = "sc2bridge.agents:Watcher";

    /// <summary>Where the gRPC server listens if nothing is said.</summary>
    internal const string UsualGrpc = "127.0.0.1:50051";

    /// <summary>Where the WebSocket server listens if nothing is said.</summary>
    internal const string UsualWeb = "127.0.0.1:8765";

    private readonly string _command;
    private readonly Option<AgentSpec[]> _agents = new("--agent")
    {
        HelpName = "SPEC",
        Description = "a Python agent to start: `[N=]MODULE:CLASS[@TRANSPORT]`. N is the player that it plays, if agents play two. TRANSPORT is "
            + "`auto`, `grpc`, `json`, `proto` or `shm`; then `+columns`, and `+deflate`, `+zstd` or `+group-zstd`, if wanted (default: one "
            + "watcher on gRPC and one on JSON)",
        CustomParser = AgentSpec.ParseAll,
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<bool> _noAgents = Flag("--no-agents", "start no agent");
    private readonly Option<string?> _policy = OneOf(
        "--policy", ["every", "latest", "lockstep"],
        "whether the started agents get every observation, the latest one, or hold the match until they answer (default: `every`; if they play, `lockstep`, or `latest` in real time)");

    private readonly Option<long> _wait = Number(
        "--wait", 0, "N", "wait for N subscribers that you start, viewers included", 0, 10_000);

    private readonly Option<string?> _python = Text("--python", null, "PATH", "the Python interpreter for agents");
    private readonly Option<string[]> _variables = new("--agent-env")
    {
        HelpName = "NAME",
        Description = "a further environment variable that agents get; they have the variables that Python and its libraries need (`PATH`, `PYTHON…`, `LC_…`, `CUDA…`, `SC2PATH` and others), and none that begins with `SC2BRIDGE_`; may be repeated",
        Validators = { EachIs(name => !name.Contains('='), "write the variable's name alone: its value is the bridge's own") },
    };

    private readonly Option<string?> _folder;
    private readonly Option<string?> _grpc;
    private readonly Option<string?> _web;

    private readonly Option<string?> _memoryName = new("--shm")
    {
        HelpName = "NAME",
        Description = "the name of the [memory that is shared](../../proto/README.md#shared-memory) with programs of this machine; not if sides are kept apart (default: a new one if an agent is `@auto` or `@shm`, else none)",
        Validators = { EachIs(BridgeServerOptions.IsSharedMemoryName, "write up to 100 letters, digits, dots, dashes and underscores") },
    };

    private readonly Option<bool> _noPage = Flag("--no-page", "serve no live page at the address of `--web`");
    private readonly Option<bool> _open;

    private readonly Option<string[]> _origins = new("--allow-origin")
    {
        HelpName = "ORIGIN",
        Description = "the origin of a web page that may connect to the WebSocket, such as `https://viewer.example`; `*` allows every page that a visitor opens",
        Validators = { EachIs(WebNames.IsOrigin, "write an origin as https://viewer.example, without a path or the usual port") },
    };

    private readonly AccessOptionSet _access = new();

    private readonly AdmissionOptionSet _admission = new();

    private readonly PublishOptionSet _publish = new();

    private readonly Option<bool> _deflate = Flag(
        "--deflate", "use permessage-deflate if a WebSocket client offers it (smaller, slower)");

    private readonly Option<Uri?> _otlp = new("--otlp")
    {
        HelpName = "URL",
        Description = "an OpenTelemetry collector over HTTP, such as `http://localhost:4318`, that gets the [metrics](metrics.md#metrics)",
        CustomParser = ParseCollector,
    };

    private readonly Option<long> _traces = Number(
        "--trace-steps", 0, "N", "send [traces](metrics.md#traces) of every Nth step to the collector of `--otlp`; 0 sends none", 0, 1_000_000);

    private readonly Option<TimeSpan?> _deadline = Seconds(
        "--lockstep-deadline", TimeSpan.FromSeconds(10),
        "how long a step waits for a lockstep agent; the third time, the agent is dropped (default: 10)");

    private readonly Option<TimeSpan?> _pauseDeadline = Seconds(
        "--pause-deadline", TimeSpan.FromSeconds(60),
        "how long a subscriber with a full queue may hold the game and take nothing; then it is dropped (default: 60)");

    private readonly Option<TimeSpan?> _agentDeadline = Seconds(
        "--agent-deadline", TimeSpan.FromSeconds(120),
        "how long a started agent may take to subscribe (default: 120)");

    private readonly Option<TimeSpan?> _agentTimeout = Seconds(
        "--agent-timeout", TimeSpan.FromSeconds(60),
        "how long an agent that plays with `latest` may be silent while frames come; then it is dropped (default: 60)");

    private readonly Option<long?> _memory = Size(
        "--memory",
        "the most [memory](limits.md#memory) that frames may take, such as `512M` or `2G`; beyond it, the subscriber that holds the most is "
        + "dropped (default: half of what the machine or container has)",
        MemoryLedger.LeastCeiling, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);

    private readonly Option<CodecLog> _codecLog = Choice(
        "--codec-log", CodecLog.Sampled,
        "[what the step log measures](match-files.md#what-is-measured): `full` measures every codec on every step, which slows a match at rate max");

    private readonly Option<LogLevel> _logLevel = LogLevelOption();

    private readonly Option<string[]> _json = new("--json")
    {
        HelpName = "FILE",
        Description = "also write the summary to this file, as JSON; `-` writes [a line for each event](match-files.md#events) to standard output instead of tables: the addresses first, the summary last; may be repeated",
    };

    /// <param name="command">Its name, which its output folder begins with.</param>
    /// <param name="grpc">Where the gRPC server listens if nothing is said.</param>
    /// <param name="web">Where the WebSocket server listens if nothing is said.</param>
    /// <param name="opening">What <c>--open</c> does, for people.</param>
    internal SessionOptionSet(
        string command, string grpc = UsualGrpc, string web = UsualWeb,
        string opening = "open the live page in a browser")
    {
        _command = command;
        _open = Flag("--open", opening);
        _grpc = Text("--grpc", grpc, "ADDR", "the gRPC server's address: `HOST:PORT` or `unix:PATH`");
        _web = Text("--web", web, "ADDR", "the address of the WebSocket server and the live page: `HOST:PORT`");
        _folder = Text("--out", null, "DIR", "the output folder; [not another match's](match-files.md) (default: `out/COMMAND-TIME`)");
    }

    /// <summary>What is logged, of every command that runs matches.</summary>
    internal static Option<LogLevel> LogLevelOption(LogLevel preset = LogLevel.Information) => Choice(
        "--log-level", preset,
        "the lowest level that goes to [`bridge.log`](metrics.md#logs); warnings and errors are printed too");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups =>
    [
        new("agents", _agents, _noAgents, _policy, _wait, _python, _variables, _deadline, _agentTimeout, _pauseDeadline, _agentDeadline)
        {
            OnlyInFile = [_agentDeadline],
        },
        new("servers", [_grpc, _web, _memoryName, .. (Option[])(HasPage ? [_noPage, _open] : []), _deflate]),
        .. _access.Groups,
        new("access", _origins),
        new("files", _folder, _json),
        .. Publishes ? _publish.Groups : [],
        new("logs", _logLevel, _codecLog, _otlp, _traces) { OnlyInFile = [_traces] },
        .. _admission.Groups,
        new("limits", _memory),
    ];

    /// <summary>Those that most people need.</summary>
    internal IReadOnlyList<Option> Common => [_agents, _wait, .. (Option[])(HasPage ? [_open] : []), _folder];

    /// <summary>Whether agents are named, which are started.</summary>
    internal bool NamesAgents(ParseResult parsed) => parsed.GetValue(_agents) is { Length: > 0 };

    /// <summary>What was asked for.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="usualPolicy">The started agents' policy where none was named.</param>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    /// <exception cref="CredentialException">A file of tokens or certificates cannot be used.</exception>
    /// <exception cref="AddressException">An address is none.</exception>
    internal SessionOptions Read(ParseResult parsed, string usualPolicy = "every")
    {
        var (grpc, web) = (parsed.GetValue(_grpc)!, parsed.GetValue(_web)!);
        var access = _access.Read(parsed, [BridgeAddress.Parse(grpc).Host, BridgeAddress.Parse(web).Host]);
        var agents = Agents(parsed.GetValue(_agents) ?? [], parsed.GetValue(_noAgents));
        return agents.Length > 0 && access.Tls?.ClientCa is not null
            ? throw new CommandException(
                "--tls-client-ca: agents that the bridge starts have no certificate: start yours by hand (--no-agents "
                + "--wait N)")
            : Read(parsed, usualPolicy, agents, access);
    }

    private SessionOptions Read(ParseResult parsed, string usualPolicy, AgentSpec[] agents, AccessOptions access) => new()
    {
        Agents = agents,
        Access = access,
        Policy = parsed.GetValue(_policy) ?? usualPolicy,
        WaitFor = (int)parsed.GetValue(_wait),
        Python = PythonInterpreter.Named(parsed.GetValue(_python)),
        AgentVariables = parsed.GetValue(_variables) ?? [],
        OutputFolder = parsed.GetValue(_folder) ?? SessionOptions.FolderFor(_command, DateTime.Now),

        // A ladder starts its bots again and again with the same words.
        MayNumberFolder = parsed.GetValue(_folder) is null || _command == "ladder",
        Server = new BridgeServerOptions
        {
            GrpcAddress = parsed.GetValue(_grpc),
            WebAddress = parsed.GetValue(_web),
            SharedMemoryName = parsed.GetValue(_memoryName)
                ?? (agents.Any(agent => agent.Transport == "shm") ? BridgeServerOptions.NewSharedMemoryName() : null),
            ServesPage = HasPage && !parsed.GetValue(_noPage),
            AllowedOrigins = parsed.GetValue(_origins) ?? [],
            AllowedHosts = _admission.Hosts(parsed),
            Admission = _admission.Read(parsed, agents.Length + (int)parsed.GetValue(_wait)),
            AllowDeflate = parsed.GetValue(_deflate),
            OtlpEndpoint = parsed.GetValue(_otlp),
        },
        Hub = new HubOptions
        {
            TraceEvery = Traces((int)parsed.GetValue(_traces), parsed.GetValue(_otlp)),
            LockstepDeadline = parsed.GetValue(_deadline)!.Value,
            PauseDeadline = parsed.GetValue(_pauseDeadline)!.Value,
            AgentTimeout = parsed.GetValue(_agentTimeout)!.Value,
            MemoryCeiling = parsed.GetValue(_memory) ?? MemoryLedger.DefaultCeiling,
        },
        OpensPage = HasPage && Opens(parsed),
        AgentDeadline = parsed.GetValue(_agentDeadline)!.Value,
        CodecLog = parsed.GetValue(_codecLog),
        LogLevel = parsed.GetValue(_logLevel),
        JsonFiles = parsed.GetValue(_json) ?? [],
        Publish = Publishes ? _publish.Read(parsed) : null,
    };

    private bool Publishes => _command is "match" or "replay";

    // The manager of a ladder may keep what is printed, and the opponent may read it.
    private bool HasPage => _command != "ladder";

    private bool Opens(ParseResult parsed) => parsed.GetValue(_open) && parsed.GetValue(_noPage)
        ? throw new CommandException("--open contradicts --no-page: leave one out")
        : parsed.GetValue(_open);

    private static AgentSpec[] Agents(AgentSpec[] named, bool none) => (named, none) switch
    {
        ({ Length: > 0 }, true) => throw new CommandException("--no-agents contradicts --agent: leave one out"),
        (_, true) => [],
        ({ Length: > 0 }, false) => named,
        _ => [new(Watcher, "grpc"), new(Watcher, "json")],
    };

    private static int Traces(int every, Uri? collector) => every == 0 || collector is not null
        ? every
        : throw new CommandException("trace-steps needs a collector that takes the traces: add --otlp URL");

    private static Uri? ParseCollector(ArgumentResult result)
    {
        var text = result.Tokens[0].Value;
        if (Uri.TryCreate(text, UriKind.Absolute, out var url) && url.Scheme is "http" or "https")
        {
            return url;
        }

        result.AddError($"--otlp: {text} is no URL of a collector: give one as http://localhost:4318");
        return null;
    }
}

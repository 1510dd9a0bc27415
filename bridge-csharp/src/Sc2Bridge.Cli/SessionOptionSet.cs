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

/// <summary>The options of commands that stream to agents.</summary>
internal sealed class SessionOptionSet : OptionSet
{
    /// <summary>The default agent. It only watches, and takes no side.</summary>
    internal const string Watcher = "sc2bridge.agents:Watcher";

    /// <summary>The default address of the gRPC server.</summary>
    internal const string DefaultGrpc = "127.0.0.1:50051";

    /// <summary>The default address of the WebSocket server.</summary>
    internal const string DefaultWeb = "127.0.0.1:8765";

    private readonly string _command;
    private readonly Option<AgentSpec[]> _agents = new("--agent")
    {
        HelpName = "SPEC",
        Description = "a Python agent to start: `[N=]MODULE:CLASS[@TRANSPORT]`. N is the player that the agent plays, if agents play two sides. TRANSPORT is "
            + "`auto`, `grpc`, `json`, `proto` or `shm`; you can add `+columns`, and then `+deflate`, `+zstd` or `+group-zstd` (default: one "
            + "watcher on gRPC and one on JSON)",
        CustomParser = AgentSpec.ParseAll,
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<bool> _noAgents = Flag("--no-agents", "start no agent");
    private readonly Option<string?> _policy = OneOf(
        "--policy", ["every", "latest", "lockstep"],
        "the [policy](../glossary.md#the-bridge) of the started agents: they get every observation, or the latest one, or the match waits until they answer (default: `every`; if they play, `lockstep`, or `latest` in real time)");

    private readonly Option<long> _wait = Number(
        "--wait", 0, "N", "wait for N subscribers that you start, viewers included", 0, 10_000);

    private readonly Option<string?> _python = Text("--python", null, "PATH", "the Python interpreter for agents");
    private readonly Option<string[]> _variables = new("--agent-env")
    {
        HelpName = "NAME",
        Description = "an additional environment variable for started agents; without this option, agents get the variables that Python and its libraries need (`PATH`, `PYTHON…`, `LC_…`, `CUDA…`, `SC2PATH` and others), and none that begins with `SC2BRIDGE_`; may be repeated",
        Validators = { ValidateEach(name => !name.Contains('='), "write the variable's name alone: agents get the value that the bridge has") },
    };

    private readonly Option<string?> _folder;
    private readonly Option<string?> _grpc;
    private readonly Option<string?> _web;

    private readonly Option<string?> _memoryName = new("--shm")
    {
        HelpName = "NAME",
        Description = "the name of the [shared memory](../../proto/README.md#shared-memory) for programs of this machine; not possible if sides are kept apart (default: a new one if the transport of an agent is `auto` or `shm`, else none)",
        Validators = { ValidateEach(BridgeServerOptions.IsSharedMemoryName, "write up to 100 letters, digits, dots, dashes and underscores") },
    };

    private readonly Option<bool> _noPage = Flag("--no-page", "serve no live page at the address of `--web`");
    private readonly Option<bool> _open;

    private readonly Option<string[]> _origins = new("--allow-origin")
    {
        HelpName = "ORIGIN",
        Description = "the origin of a web page that may connect to the WebSocket, such as `https://viewer.example`; `*` allows every page that a visitor opens",
        Validators = { ValidateEach(WebNames.IsOrigin, "write an origin as https://viewer.example, without a path or the usual port") },
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
        "how long a step waits for a lockstep agent; the third time that the agent is late, it is dropped (default: 10)");

    private readonly Option<TimeSpan?> _pauseDeadline = Seconds(
        "--pause-deadline", TimeSpan.FromSeconds(60),
        "how long a subscriber with a full queue may block the game without receiving a frame; then it is dropped (default: 60)");

    private readonly Option<TimeSpan?> _agentDeadline = Seconds(
        "--agent-deadline", TimeSpan.FromSeconds(120),
        "how long a started agent may take to subscribe (default: 120)");

    private readonly Option<TimeSpan?> _agentTimeout = Seconds(
        "--agent-timeout", TimeSpan.FromSeconds(60),
        "how long an agent that plays with `latest` may send nothing while frames come; then it is dropped (default: 60)");

    private readonly Option<long?> _memory = Size(
        "--memory",
        "the most [memory](limits.md#memory) that frames may take, such as `512M` or `2G`; if they take more, the subscriber that holds the most is "
        + "dropped (default: half of the memory of the machine or container)",
        MemoryLedger.LeastCeiling, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);

    private readonly Option<CodecLog> _codecLog = Choice(
        "--codec-log", CodecLog.Sampled,
        "[what the step log measures](match-files.md#what-is-measured): `full` measures every codec on every step, which slows a match at rate max");

    private readonly Option<LogLevel> _logLevel = CreateLogLevelOption();

    private readonly Option<string[]> _json = new("--json")
    {
        HelpName = "FILE",
        Description = "also write the summary to this file, as JSON; `-` writes [a line for each event](match-files.md#events) to standard output instead of tables: the addresses first, the summary last; may be repeated",
    };

    /// <param name="command">The name of the command. The name of the output folder begins with it.</param>
    /// <param name="grpc">The default address of the gRPC server.</param>
    /// <param name="web">The default address of the WebSocket server.</param>
    /// <param name="openDescription">What <c>--open</c> does, for the help.</param>
    internal SessionOptionSet(
        string command, string grpc = DefaultGrpc, string web = DefaultWeb,
        string openDescription = "open the live page in a browser")
    {
        _command = command;
        _open = Flag("--open", openDescription);
        _grpc = Text("--grpc", grpc, "ADDR", "the gRPC server's address: `HOST:PORT` or `unix:PATH`");
        _web = Text("--web", web, "ADDR", "the address of the WebSocket server and the live page: `HOST:PORT`");
        _web.Validators.Add(ValidateEach(
            web => !web.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal), "write HOST:PORT, because WebSocket clients cannot use Unix sockets; only --grpc can"));
        _folder = Text("--out", null, "DIR", "the output folder, without [files of another match](match-files.md) (default: `out/COMMAND-TIME`)");
    }

    /// <summary>Makes the option for the log level. Every command that runs matches has this option.</summary>
    internal static Option<LogLevel> CreateLogLevelOption(LogLevel defaultLevel = LogLevel.Information) => Choice(
        "--log-level", defaultLevel,
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

    /// <summary>The options that most people need.</summary>
    internal IReadOnlyList<Option> CommonOptions => [_agents, _wait, .. (Option[])(HasPage ? [_open] : []), _folder];

    /// <summary>Whether the user names agents to start.</summary>
    internal bool NamesAgents(ParseResult parsed) => parsed.GetValue(_agents) is { Length: > 0 };

    /// <summary>Reads the values of the options.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="defaultPolicy">The default policy of the started agents.</param>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    /// <exception cref="CredentialException">A file of tokens or certificates cannot be used.</exception>
    /// <exception cref="AddressException">An address is invalid.</exception>
    internal SessionOptions Read(ParseResult parsed, string defaultPolicy = "every")
    {
        var (grpc, web) = (parsed.GetValue(_grpc)!, parsed.GetValue(_web)!);
        var access = _access.Read(parsed, [BridgeAddress.Parse(grpc).Host, BridgeAddress.Parse(web).Host]);
        var agents = ChooseAgents(parsed.GetValue(_agents) ?? [], parsed.GetValue(_noAgents));
        return agents.Length > 0 && access.Tls?.ClientCa is not null
            ? throw new CommandException(
                "--tls-client-ca: agents that the bridge starts have no certificate: start your agents yourself, with "
                + "--no-agents --wait N")
            : Read(parsed, defaultPolicy, agents, access);
    }

    private SessionOptions Read(ParseResult parsed, string defaultPolicy, AgentSpec[] agents, AccessOptions access) => new()
    {
        Agents = agents,
        Access = access,
        Policy = parsed.GetValue(_policy) ?? defaultPolicy,
        WaitFor = (int)parsed.GetValue(_wait),
        Python = PythonInterpreter.FindNamed(parsed.GetValue(_python)),
        AgentVariables = parsed.GetValue(_variables) ?? [],
        OutputFolder = Path.TrimEndingDirectorySeparator(parsed.GetValue(_folder) ?? SessionOptions.FolderFor(_command, DateTime.Now)),

        // A ladder starts a bot with the same arguments each time, so each match names the same folder.
        MayNumberFolder = parsed.GetValue(_folder) is null || _command == "ladder",
        Server = new BridgeServerOptions
        {
            GrpcAddress = parsed.GetValue(_grpc),
            WebAddress = parsed.GetValue(_web),
            SharedMemoryName = parsed.GetValue(_memoryName)
                ?? (agents.Any(agent => agent.Transport == "shm") ? BridgeServerOptions.NewSharedMemoryName() : null),
            ServesPage = HasPage && !parsed.GetValue(_noPage),
            AllowedOrigins = parsed.GetValue(_origins) ?? [],
            AllowedHosts = _admission.ReadHosts(parsed),
            Admission = _admission.Read(parsed, agents.Length + (int)parsed.GetValue(_wait)),
            AllowDeflate = parsed.GetValue(_deflate),
            OtlpEndpoint = parsed.GetValue(_otlp),
        },
        Hub = new HubOptions
        {
            TraceEvery = CheckTraces((int)parsed.GetValue(_traces), parsed.GetValue(_otlp)),
            LockstepDeadline = parsed.GetValue(_deadline)!.Value,
            PauseDeadline = parsed.GetValue(_pauseDeadline)!.Value,
            AgentTimeout = parsed.GetValue(_agentTimeout)!.Value,
            MemoryCeiling = parsed.GetValue(_memory) ?? MemoryLedger.DefaultCeiling,
        },
        OpensPage = HasPage && ReadOpens(parsed),
        AgentDeadline = parsed.GetValue(_agentDeadline)!.Value,
        CodecLog = parsed.GetValue(_codecLog),
        LogLevel = parsed.GetValue(_logLevel),
        JsonFiles = parsed.GetValue(_json) ?? [],
        Publish = Publishes ? _publish.Read(parsed) : null,
    };

    private bool Publishes => _command is "match" or "replay";

    // A ladder has no page: the ladder manager may keep the printed address with the token, and the opponent may read this address.
    private bool HasPage => _command != "ladder";

    private bool ReadOpens(ParseResult parsed) => parsed.GetValue(_open) && parsed.GetValue(_noPage)
        ? throw new CommandException("--open contradicts --no-page: leave one out")
        : parsed.GetValue(_open);

    private static AgentSpec[] ChooseAgents(AgentSpec[] named, bool none) => (named, none) switch
    {
        ({ Length: > 0 }, true) => throw new CommandException("--no-agents contradicts --agent: leave one out"),
        (_, true) => [],
        ({ Length: > 0 }, false) => named,
        _ => [new(Watcher, "grpc"), new(Watcher, "json")],
    };

    private static int CheckTraces(int every, Uri? collector) => every == 0 || collector is not null
        ? every
        : throw new CommandException("trace-steps needs a collector that takes the traces: add --otlp URL");

    private static Uri? ParseCollector(ArgumentResult result)
    {
        var text = result.Tokens[0].Value;
        if (Uri.TryCreate(text, UriKind.Absolute, out var url) && url.Scheme is "http" or "https")
        {
            return url;
        }

        result.AddError($"--otlp: {text} is not the URL of a collector: write a URL such as http://localhost:4318");
        return null;
    }
}

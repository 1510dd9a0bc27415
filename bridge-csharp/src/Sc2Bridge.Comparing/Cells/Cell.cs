using System.Globalization;
using System.Text.Json.Serialization;

namespace Sc2Bridge.Comparing.Cells;

/// <summary>What sends the frames.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Sender>))]
public enum Sender
{
    /// <summary>The bridge, as it runs in a match.</summary>
    [JsonStringEnumMemberName("bridge")]
    Bridge,

    /// <summary>
    /// A yardstick: a handler on the bridge's Kestrel that writes the same bytes and knows no more; in JSON the text that
    /// Google.Protobuf's formatter makes of the parsed message.
    /// </summary>
    [JsonStringEnumMemberName("bare")]
    Bare,

    /// <summary>A yardstick: a blocking TCP socket that the same bytes are written to.</summary>
    [JsonStringEnumMemberName("raw")]
    Raw,

    /// <summary>
    /// A yardstick: the game's own API, without a bridge, on which python-sc2's client asks for each observation.
    /// </summary>
    [JsonStringEnumMemberName("game")]
    Game,
}

/// <summary>How messages travel.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Mode>))]
public enum Mode
{
    /// <summary>gRPC.</summary>
    [JsonStringEnumMemberName("grpc")]
    Grpc,

    /// <summary>The WebSocket, in protobuf.</summary>
    [JsonStringEnumMemberName("binary")]
    Binary,

    /// <summary>The WebSocket, in JSON.</summary>
    [JsonStringEnumMemberName("json")]
    Json,
}

/// <summary>How they are compressed.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Packing>))]
public enum Packing
{
    /// <summary>Not at all.</summary>
    [JsonStringEnumMemberName("none")]
    None,

    /// <summary>By the transport, each alone: gRPC's gzip, the WebSocket's permessage-deflate.</summary>
    [JsonStringEnumMemberName("deflate")]
    Deflate,

    /// <summary>zstd, each alone.</summary>
    [JsonStringEnumMemberName("zstd")]
    Zstd,

    /// <summary>One zstd stream over a group of frames.</summary>
    [JsonStringEnumMemberName("group-zstd")]
    GroupZstd,
}

/// <summary>In what language, with what library, the agent hears.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<AgentKind>))]
public enum AgentKind
{
    /// <summary>The Python package, blocking.</summary>
    [JsonStringEnumMemberName("python")]
    Python,

    /// <summary>The Python package on asyncio.</summary>
    [JsonStringEnumMemberName("asyncio")]
    Asyncio,

    /// <summary>C#: <c>HttpClient</c>'s HTTP/2, <c>ClientWebSocket</c>.</summary>
    [JsonStringEnumMemberName("csharp")]
    CSharp,

    /// <summary>Node: <c>@grpc/grpc-js</c>, <c>ws</c>.</summary>
    [JsonStringEnumMemberName("node")]
    Node,

    /// <summary>No agent: light readers in C#, all in one process; they look at a frame's head and let it go.</summary>
    [JsonStringEnumMemberName("light")]
    Light,
}

/// <summary>What an agent that falls behind is sent.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Hearing>))]
public enum Hearing
{
    /// <summary>Every frame, out of a bounded queue that holds the match when it is full.</summary>
    [JsonStringEnumMemberName("every")]
    Every,

    /// <summary>The newest frame.</summary>
    [JsonStringEnumMemberName("latest")]
    Latest,

    /// <summary>The match waits for the agent's answer each step.</summary>
    [JsonStringEnumMemberName("lockstep")]
    Lockstep,
}

/// <summary>
/// One way for observations to reach an agent, which is measured for a stated time beside the others. What is not
/// set is the baseline: the bridge, gRPC, nothing compressed, whole observations, 22.4 a second, one blocking Python
/// agent on TCP loopback that hears every frame.
/// </summary>
public sealed record Cell
{
    /// <summary>What the game makes at speed "faster".</summary>
    public const double GameRate = 22.4;

    /// <summary>The cell that all others differ from.</summary>
    public static Cell Baseline { get; } = new();

    /// <summary>What sends.</summary>
    public Sender Sender { get; init; }

    /// <summary>Over what.</summary>
    public Mode Mode { get; init; }

    /// <summary>Compressed how.</summary>
    public Packing Packing { get; init; }

    /// <summary>The units as columns; else whole observations.</summary>
    public bool Columns { get; init; }

    /// <summary>Steps a second; 0 is as fast as they are heard.</summary>
    public double Rate { get; init; } = GameRate;

    /// <summary>How many hear: the agent that is measured, and light readers beside it.</summary>
    public int Subscribers { get; init; } = 1;

    /// <summary>The game loop that is heard from; null for the comparison's own.</summary>
    public uint? Loop { get; init; }

    /// <summary>How often each unit is in the observations; more than once they are made and not a game's.</summary>
    public int UnitCopies { get; init; } = 1;

    /// <summary>Over a Unix socket; else TCP.</summary>
    public bool Unix { get; init; }

    /// <summary>The agent that is measured.</summary>
    public AgentKind Agent { get; init; }

    /// <summary>Which of the Python interpreters that were named, from 0.</summary>
    public int Python { get; init; }

    /// <summary>What it is sent where it falls behind.</summary>
    public Hearing Hearing { get; init; }

    /// <summary>The speed of the link between bridge and agent in Mbit/s; 0 where it is not limited.</summary>
    public double LinkMbit { get; init; }

    /// <summary>One step's time in µs; null at <c>max</c>.</summary>
    [JsonIgnore]
    public double? PeriodUs => Rate > 0 ? 1e6 / Rate : null;

    /// <summary>Tells it from every other; the same from run to run.</summary>
    public string Id => string.Join(
        '/',
        Sender switch { Sender.Bridge => "bridge", Sender.Bare => "bare", Sender.Raw => "raw", _ => "game" },
        Mode switch { Mode.Grpc => "grpc", Mode.Binary => "binary", _ => "json" },
        PackingText,
        Columns ? "columns" : "observation",
        RateText,
        string.Create(CultureInfo.InvariantCulture, $"x{Subscribers}"),
        Unix ? "unix" : "tcp",
        string.Create(CultureInfo.InvariantCulture, $"{AgentText}{Python}"),
        Hearing.ToString().ToLowerInvariant(),
        LinkMbit > 0 ? string.Create(CultureInfo.InvariantCulture, $"{LinkMbit}Mbit") : "loopback") + StretchId;

    /// <summary>What a person reads: the transport, and where it is not the baseline's.</summary>
    public string Name
    {
        get
        {
            List<string> words =
            [
                Sender switch
                {
                    Sender.Raw => "raw TCP",
                    Sender.Game => "python-sc2",
                    _ => (Sender == Sender.Bare ? "bare " : "") + ModeName,
                },
            ];
            Add(Sender == Sender.Bare && Mode == Mode.Json ? "JsonFormatter" : null);
            Add(Packing switch
            {
                Packing.None => null,
                Packing.Deflate => Mode == Mode.Grpc ? "gzip" : "deflate",
                Packing.Zstd => "zstd",
                _ => "group zstd",
            });
            Add(Columns ? "columns" : null);
            Add(Subscribers > 1 && Agent != AgentKind.Light
                ? string.Create(CultureInfo.InvariantCulture, $"{Subscribers} subscribers")
                : null);
            Add(Unix ? "Unix socket" : null);
            Add(Agent switch
            {
                AgentKind.Python when Python == 0 => null,
                AgentKind.Python => string.Create(CultureInfo.InvariantCulture, $"Python {Python + 1}"),
                AgentKind.Asyncio => "asyncio",
                AgentKind.CSharp => "C#",
                AgentKind.Node => "Node",
                _ when Subscribers == 1 => "a light reader",
                _ => string.Create(CultureInfo.InvariantCulture, $"{Subscribers} light readers"),
            });
            Add(Loop is { } loop ? string.Create(CultureInfo.InvariantCulture, $"from game loop {loop}") : null);
            Add(UnitCopies > 1 ? string.Create(CultureInfo.InvariantCulture, $"each unit {UnitCopies} times") : null);
            Add(Hearing switch { Hearing.Every => null, Hearing.Latest => "latest", _ => "lockstep" });
            Add(LinkMbit > 0 ? string.Create(CultureInfo.InvariantCulture, $"{LinkMbit} Mbit/s") : null);
            return string.Join(", ", words);

            void Add(string? word)
            {
                if (word is not null)
                {
                    words.Add(word);
                }
            }
        }
    }

    /// <summary>The rate as it is written on the command line.</summary>
    [JsonIgnore]
    public string RateText => Rate > 0 ? Rate.ToString(CultureInfo.InvariantCulture) : "max";

    /// <summary>As agents ask for it.</summary>
    internal string PackingText => Packing switch
    {
        Packing.None => "none",
        Packing.Deflate => "deflate",
        Packing.Zstd => "zstd",
        _ => "group-zstd",
    };

    private string ModeName => Mode switch
    {
        Mode.Grpc => "gRPC",
        Mode.Binary => "WebSocket",
        _ => "WebSocket JSON",
    };

    private string AgentText => Agent switch
    {
        AgentKind.Python => "python",
        AgentKind.Asyncio => "asyncio",
        AgentKind.CSharp => "csharp",
        AgentKind.Node => "node",
        _ => "light",
    };

    private string StretchId =>
        (Loop is { } loop ? string.Create(CultureInfo.InvariantCulture, $"/loop{loop}") : "")
        + (UnitCopies > 1 ? string.Create(CultureInfo.InvariantCulture, $"/units{UnitCopies}") : "");
}

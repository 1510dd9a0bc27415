using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The sender of the frames.</summary>
internal enum Sender
{
    /// <summary>The bridge, as it runs in a match.</summary>
    Bridge,

    /// <summary>
    /// A yardstick: a handler on the bridge's Kestrel that only writes the same bytes. For JSON it writes the text of
    /// Google.Protobuf's formatter for the parsed message. For shared memory it is a loop that copies the bytes there.
    /// </summary>
    Bare,

    /// <summary>A yardstick: a blocking TCP or Unix socket that the same bytes are written to.</summary>
    Raw,
}

/// <summary>The transport and encoding of messages.</summary>
internal enum Mode
{
    Grpc,

    Binary,

    Json,

    /// <summary>Shared memory together with a Unix socket.</summary>
    Memory,
}

/// <summary>The compression.</summary>
internal enum Packing
{
    None,

    /// <summary>By the transport, each message alone: gRPC's gzip, the WebSocket's permessage-deflate.</summary>
    Deflate,

    Zstd,

    /// <summary>One zstd stream over a group of frames.</summary>
    GroupZstd,
}

/// <summary>The agent's language and library.</summary>
internal enum AgentKind
{
    Python,

    Asyncio,

    /// <summary>C#: Grpc.Net.Client, <c>ClientWebSocket</c>.</summary>
    Csharp,
}

/// <summary>
/// One way for observations to reach an agent, measured for a given time and compared with others. Properties default to the
/// baseline: the bridge, gRPC, no compression, whole observations, 22.4 steps a second, one blocking Python agent on TCP
/// loopback that receives every frame.
/// </summary>
internal sealed record Measurement
{
    /// <summary>The game's rate at speed "faster".</summary>
    public const double GameRate = 22.4;

    /// <summary>The measurement that all others differ from.</summary>
    public static Measurement Baseline { get; } = new();

    public Sender Sender { get; init; }

    public Mode Mode { get; init; }

    public Packing Packing { get; init; }

    /// <summary>Columns of units instead of whole observations.</summary>
    public bool Columns { get; init; }

    /// <summary>Steps a second, 0 for as fast as they are received.</summary>
    public double Rate { get; init; } = GameRate;

    /// <summary>The number of subscribers: the measured agent and light subscribers.</summary>
    public int Subscribers { get; init; } = 1;

    /// <summary>A Unix socket instead of TCP.</summary>
    public bool Unix { get; init; }

    public AgentKind Agent { get; init; }

    /// <summary>The index of the Python interpreter, from 0.</summary>
    public int Python { get; init; }

    /// <summary>The subscription's policy if the agent falls behind.</summary>
    public Policy Policy { get; init; } = Policy.Every;

    /// <summary>The speed of the link between bridge and agent in Mbit/s, 0 for no limit.</summary>
    public double LinkMbit { get; init; }

    /// <summary>One step's time in µs; null at <c>max</c>.</summary>
    [JsonIgnore]
    public double? PeriodUs => Rate > 0 ? 1e6 / Rate : null;

    /// <summary>A unique id that is the same in every run of the program.</summary>
    public string Id => string.Join(
        '/', Word(Sender), Word(Mode), Word(Packing), Columns ? "columns" : "observation", RateText, Invariant($"x{Subscribers}"),
        Unix ? "unix" : "tcp", Invariant($"{Word(Agent)}{Python}"), Word(Policy),
        LinkMbit > 0 ? Invariant($"{LinkMbit}Mbit") : "loopback");

    /// <summary>The name for tables: the transport, and the differences from the baseline.</summary>
    public string Name
    {
        get
        {
            string?[] words =
            [
                Sender == Sender.Raw ? (Unix ? "plain Unix socket" : "plain TCP") : ModeName + (Sender == Sender.Bare ? " server alone" : ""),
                Sender == Sender.Bare && Mode == Mode.Json ? "JsonFormatter" : null,
                Packing switch
                {
                    Packing.None => null,
                    Packing.Deflate => Mode == Mode.Grpc ? "gzip" : "deflate",
                    Packing.Zstd => "zstd",
                    _ => "group zstd",
                },
                Columns ? "columns" : null,
                Subscribers > 1 ? Invariant($"{Subscribers} subscribers") : null,
                Unix && Sender != Sender.Raw ? "Unix socket" : null,
                Agent switch
                {
                    AgentKind.Python => Python == 0 ? null : Invariant($"Python {Python + 1}"),
                    AgentKind.Asyncio => "asyncio",
                    _ => "C#",
                },
                Policy == Policy.Every ? null : Word(Policy),
                LinkMbit > 0 ? Invariant($"{LinkMbit} Mbit/s") : null,
            ];
            return string.Join(", ", words.OfType<string>());
        }
    }

    /// <summary>The rate as written on the command line.</summary>
    [JsonIgnore]
    public string RateText => Rate > 0 ? Rate.ToString(CultureInfo.InvariantCulture) : "max";

    /// <summary>The name outside a table.</summary>
    [JsonIgnore]
    public string Title => $"{Name}, rate {RateText}";

    /// <summary>The name of an enum's value for agents and in ids.</summary>
    internal static string Word(Enum value) => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());

    /// <summary>The transport alone.</summary>
    [JsonIgnore]
    public string ModeName => Mode switch
    {
        Mode.Grpc => "gRPC",
        Mode.Binary => "WebSocket",
        Mode.Memory => "shared memory",
        _ => "WebSocket JSON",
    };
}

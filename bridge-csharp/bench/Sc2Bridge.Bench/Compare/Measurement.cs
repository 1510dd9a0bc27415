using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What sends the frames.</summary>
internal enum Sender
{
    /// <summary>The bridge, as it runs in a match.</summary>
    Bridge,

    /// <summary>
    /// A yardstick: a handler on the bridge's Kestrel that writes the same bytes and knows no more; in JSON the text that
    /// Google.Protobuf's formatter makes of the parsed message; with shared memory a loop that copies them there.
    /// </summary>
    Bare,

    /// <summary>A yardstick: a blocking socket, TCP's or a Unix one, that the same bytes are written to.</summary>
    Raw,
}

/// <summary>How messages travel.</summary>
internal enum Mode
{
    Grpc,

    Binary,

    Json,

    /// <summary>Shared memory, with a Unix socket beside it.</summary>
    Memory,
}

/// <summary>How they are compressed.</summary>
internal enum Packing
{
    None,

    /// <summary>By the transport, each alone: gRPC's gzip, the WebSocket's permessage-deflate.</summary>
    Deflate,

    Zstd,

    /// <summary>One zstd stream over a group of frames.</summary>
    GroupZstd,
}

/// <summary>In what language, with what library, the agent receives.</summary>
internal enum AgentKind
{
    Python,

    Asyncio,

    /// <summary>C#: Grpc.Net.Client, <c>ClientWebSocket</c>.</summary>
    Csharp,
}

/// <summary>
/// One way for observations to reach an agent, which is measured for a stated time beside the others. What is not
/// set is the baseline: the bridge, gRPC, nothing compressed, whole observations, 22.4 a second, one blocking Python
/// agent on TCP loopback that receives every frame.
/// </summary>
internal sealed record Measurement
{
    /// <summary>What the game makes at speed "faster".</summary>
    public const double GameRate = 22.4;

    /// <summary>The measurement that all others differ from.</summary>
    public static Measurement Baseline { get; } = new();

    public Sender Sender { get; init; }

    public Mode Mode { get; init; }

    public Packing Packing { get; init; }

    /// <summary>The units as columns; else whole observations.</summary>
    public bool Columns { get; init; }

    /// <summary>Steps a second; 0 is as fast as they are received.</summary>
    public double Rate { get; init; } = GameRate;

    /// <summary>How many subscribe: the agent that is measured, and light readers beside it.</summary>
    public int Subscribers { get; init; } = 1;

    /// <summary>Over a Unix socket; else TCP.</summary>
    public bool Unix { get; init; }

    public AgentKind Agent { get; init; }

    /// <summary>Which of the Python interpreters that were named, from 0.</summary>
    public int Python { get; init; }

    /// <summary>What it is sent where it falls behind.</summary>
    public Policy Policy { get; init; } = Policy.Every;

    /// <summary>The speed of the link between bridge and agent in Mbit/s; 0 where it is not limited.</summary>
    public double LinkMbit { get; init; }

    /// <summary>One step's time in µs; null at <c>max</c>.</summary>
    [JsonIgnore]
    public double? PeriodUs => Rate > 0 ? 1e6 / Rate : null;

    /// <summary>Tells it from every other; the same from run to run.</summary>
    public string Id => string.Join(
        '/', Word(Sender), Word(Mode), Word(Packing), Columns ? "columns" : "observation", RateText, Invariant($"x{Subscribers}"),
        Unix ? "unix" : "tcp", Invariant($"{Word(Agent)}{Python}"), Word(Policy),
        LinkMbit > 0 ? Invariant($"{LinkMbit}Mbit") : "loopback");

    /// <summary>What a person reads: the transport, and where it is not the baseline's.</summary>
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

    /// <summary>The rate as it is written on the command line.</summary>
    [JsonIgnore]
    public string RateText => Rate > 0 ? Rate.ToString(CultureInfo.InvariantCulture) : "max";

    /// <summary>What a person reads of it where it stands alone.</summary>
    [JsonIgnore]
    public string Title => $"{Name}, rate {RateText}";

    /// <summary>An enum's value as agents are told it, and as identities have it.</summary>
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

using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Writes results as JSON with names in snake_case, without reflection.</summary>
[JsonSourceGenerationOptions(
    WriteIndented = true,
    NewLine = "\n",
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(BotAddressEvent))]
[JsonSerializable(typeof(DoctorReport))]
[JsonSerializable(typeof(ExportedMatch))]
[JsonSerializable(typeof(ExportReport))]
[JsonSerializable(typeof(InspectionReport))]
[JsonSerializable(typeof(ListeningEvent))]
[JsonSerializable(typeof(MatchEvent))]
[JsonSerializable(typeof(MatchReport))]
[JsonSerializable(typeof(PostMortemReport))]
[JsonSerializable(typeof(RecordReport))]
[JsonSerializable(typeof(SeriesReport))]
[JsonSerializable(typeof(SubmittedJobs))]
[JsonSerializable(typeof(WorkReport))]
[JsonSerializable(typeof(WorkSummary))]
internal sealed partial class JsonReports : JsonSerializerContext
{
    /// <summary>Formats a report as text with a line break at the end.</summary>
    public static string Text<T>(T report, JsonTypeInfo<T> shape) => JsonSerializer.Serialize(report, shape) + "\n";

    /// <summary>Formats a report as one line, for programs that read events from standard output.</summary>
    /// <param name="name">The event's name.</param>
    /// <param name="report">The properties of the event.</param>
    /// <param name="shape">The JSON type of the properties.</param>
    public static string Event<T>(string name, T report, JsonTypeInfo<T> shape)
    {
        var line = JsonSerializer.SerializeToNode(report, shape)!.AsObject();
        line.Insert(0, "event", name);
        return line.ToJsonString();
    }

    /// <summary>Formats an enum value as in the JSON reports: in snake_case.</summary>
    public static string Word<T>(T value)
        where T : struct, Enum => JsonNamingPolicy.SnakeCaseLower.ConvertName($"{value}");
}

using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Results for machines: JSON with names in snake_case, written without reflection.</summary>
[JsonSourceGenerationOptions(
    WriteIndented = true,
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
[JsonSerializable(typeof(RecordReport))]
[JsonSerializable(typeof(SeriesReport))]
[JsonSerializable(typeof(SubmittedJobs))]
[JsonSerializable(typeof(WorkReport))]
[JsonSerializable(typeof(WorkSummary))]
internal sealed partial class JsonReports : JsonSerializerContext
{
    /// <summary>A report as text, with a line end behind it.</summary>
    public static string Text<T>(T report, JsonTypeInfo<T> shape) => JsonSerializer.Serialize(report, shape) + "\n";

    /// <summary>A report as one line, for a program that reads the output of a command that serves.</summary>
    /// <param name="name">What has happened.</param>
    /// <param name="report">More about it.</param>
    /// <param name="shape">Its properties.</param>
    public static string Event<T>(string name, T report, JsonTypeInfo<T> shape)
    {
        var line = JsonSerializer.SerializeToNode(report, shape)!.AsObject();
        line.Insert(0, "event", name);
        return line.ToJsonString();
    }

    /// <summary>An enumeration's value, as JSON has it.</summary>
    public static string Word<T>(T value)
        where T : struct, Enum => JsonNamingPolicy.SnakeCaseLower.ConvertName($"{value}");
}

using System.Text.Json;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator;

/// <summary>A value in a scenario's file, and where it stands, for errors that name it.</summary>
/// <param name="Value">Undefined where there is none.</param>
/// <param name="Path">As <c>players[0].race</c>; empty for the file.</param>
internal readonly record struct ScenarioField(JsonElement Value, string Path)
{
    private const int LongestShown = 60;

    /// <summary>Whether it is there.</summary>
    public bool IsGiven => Value.ValueKind != JsonValueKind.Undefined;

    /// <summary>A field of it, that may be missing.</summary>
    public ScenarioField this[string name] => new(
        Value.TryGetProperty(name, out var field) ? field : default, Path.Length > 0 ? $"{Path}.{name}" : name);

    /// <summary>The error of what it is.</summary>
    /// <param name="write">What may stand there.</param>
    public FormatException Wrong(string write)
    {
        var raw = IsGiven ? Value.GetRawText() : "is missing";
        return new($"{Shown(Path)} {Shown(raw)}: write {write}".TrimStart());
    }

    /// <summary>A part of the file, to be shown in a line.</summary>
    public static string Shown(string text) => string.Concat(text.Take(LongestShown).Select(c => char.IsControl(c) ? ' ' : c))
        + (text.Length > LongestShown ? "…" : "");

    /// <summary>Itself, which is an object of such fields alone.</summary>
    public ScenarioField With(params string[] names)
    {
        var write = $"an object of {string.Join(", ", names)}";
        if (Value.ValueKind != JsonValueKind.Object)
        {
            throw Wrong(write);
        }

        var unknown = Value.EnumerateObject().Select(field => field.Name).FirstOrDefault(name => !names.Contains(name));
        return unknown is null ? this : throw this[unknown].Wrong(write);
    }

    /// <summary>Its items; where none need be, none where it is not given.</summary>
    public IReadOnlyList<ScenarioField> Items(int least, int most, string what)
    {
        if (!IsGiven && least == 0)
        {
            return [];
        }

        var path = Path;
        return Value.ValueKind == JsonValueKind.Array && Value.GetArrayLength() >= least && Value.GetArrayLength() <= most
            ? [.. Value.EnumerateArray().Select((item, at) => new ScenarioField(item, $"{path}[{at}]"))]
            : throw Wrong($"a list of {(least == most ? "" : $"{least} to ")}{most} {what}");
    }

    /// <summary>A whole number; the usual one where it is not given.</summary>
    public int Whole(int least, int most, int? usual = null) =>
        !IsGiven && usual is { } number ? number
        : Value.ValueKind == JsonValueKind.Number && Value.TryGetInt32(out var whole) && whole >= least && whole <= most
            ? whole
            : throw Wrong($"a whole number from {least} to {most}");

    /// <summary>A length in cells, in 1/4096 of one; none where it is not given and need not be.</summary>
    public int Cells(int most, bool needed = true) =>
        !IsGiven && !needed ? 0
        : Value.ValueKind == JsonValueKind.Number && Value.TryGetDouble(out var cells) && cells >= 0 && cells <= most
            ? (int)(cells * GameMap.Cell)
            : throw Wrong($"a number of cells, 0 to {most}");

    /// <summary>A place on a map, in 1/4096 of a cell.</summary>
    public (int X, int Y) Place(MapSketch map)
    {
        var both = Items(2, 2, "numbers: x and y in cells");
        return (both[0].Cells(map.Width), both[1].Cells(map.Height));
    }

    /// <summary>Whether; not, where it is not given.</summary>
    public bool Yes() => Value.ValueKind switch
    {
        JsonValueKind.True => true,
        JsonValueKind.False or JsonValueKind.Undefined => false,
        _ => throw Wrong("true or false"),
    };

    /// <summary>What has the name; its case does not matter.</summary>
    public T Named<T>(IEnumerable<T> all, Func<T, string> nameOf, string write)
    {
        var name = Value.ValueKind == JsonValueKind.String ? Value.GetString() : null;
        foreach (var one in all)
        {
            if (nameOf(one).Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return one;
            }
        }

        throw Wrong(write);
    }
}

using System.Text.Json;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator;

/// <summary>A value in a scenario's file and its path, which errors name.</summary>
/// <param name="Value">The value; Undefined if it is missing.</param>
/// <param name="Path">The path, such as <c>players[0].race</c>; empty for the file.</param>
internal readonly record struct ScenarioField(JsonElement Value, string Path)
{
    private const int LongestShown = 60;

    /// <summary>Whether the value is present.</summary>
    public bool IsGiven => Value.ValueKind != JsonValueKind.Undefined;

    /// <summary>A field of this object. It may be missing.</summary>
    public ScenarioField this[string name] => new(
        Value.TryGetProperty(name, out var field) ? field : default, Path.Length > 0 ? $"{Path}.{name}" : name);

    /// <summary>Creates the error for an invalid value.</summary>
    public FormatException Wrong(string write)
    {
        var raw = IsGiven ? Value.GetRawText() : "is missing";
        return new($"{Shown(Path)} {Shown(raw)}: write {write}".TrimStart());
    }

    /// <summary>A part of the file, shortened for an error message of one line.</summary>
    public static string Shown(string text) => string.Concat(text.Take(LongestShown).Select(c => char.IsControl(c) ? ' ' : c))
        + (text.Length > LongestShown ? "…" : "");

    /// <summary>Checks that the value is an object without other fields. Returns the value.</summary>
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

    /// <summary>The items of a list. A missing value is an empty list if that is allowed.</summary>
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

    /// <summary>A whole number. A missing value is the default, if there is one.</summary>
    public int Whole(int least, int most, int? usual = null) =>
        !IsGiven && usual is { } number ? number
        : Value.ValueKind == JsonValueKind.Number && Value.TryGetInt32(out var whole) && whole >= least && whole <= most
            ? whole
            : throw Wrong($"a whole number from {least} to {most}");

    /// <summary>A length in cells, converted to 1/4096 of a cell. A missing value is 0 if it is not needed.</summary>
    public int Cells(int most, bool needed = true) =>
        !IsGiven && !needed ? 0
        : Value.ValueKind == JsonValueKind.Number && Value.TryGetDouble(out var cells) && cells >= 0 && cells <= most
            ? (int)(cells * GameMap.Cell)
            : throw Wrong($"a number of cells, 0 to {most}");

    /// <summary>A point on a map, in 1/4096 of a cell.</summary>
    public (int X, int Y) Place(MapSketch map)
    {
        var both = Items(2, 2, "numbers: x and y in cells");
        return (both[0].Cells(map.Width), both[1].Cells(map.Height));
    }

    /// <summary>A truth value. A missing value is false.</summary>
    public bool Yes() => Value.ValueKind switch
    {
        JsonValueKind.True => true,
        JsonValueKind.False or JsonValueKind.Undefined => false,
        _ => throw Wrong("true or false"),
    };

    /// <summary>The element with the name that the value holds. Case is ignored.</summary>
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

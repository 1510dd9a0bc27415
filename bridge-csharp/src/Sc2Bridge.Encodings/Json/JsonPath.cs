using System.Runtime.CompilerServices;
using System.Text;

namespace Sc2Bridge.Encodings.Json;

/// <summary>The place of a reader in a text: the field of each object around it.</summary>
internal struct JsonPath
{
    private Steps _steps;
    private int _depth;

    /// <summary>An object begins.</summary>
    public void Enter() => _steps[_depth++] = default;

    public void Leave() => _depth--;

    /// <summary>A field of the object.</summary>
    /// <param name="start">The offset of its name in the text.</param>
    /// <param name="length">The name's length in bytes.</param>
    public void Field(int start, int length) => _steps[_depth - 1] = new Step(start, length, -1);

    /// <summary>The next item of the field, which is a list.</summary>
    public void NextItem() => _steps[_depth - 1].Place++;

    /// <summary>As frame.observation.rawData.units[3].pos.x, with a colon behind it; empty for the whole.</summary>
    public readonly string In(ReadOnlySpan<byte> text)
    {
        var path = new StringBuilder();
        for (var level = 0; level < _depth && _steps[level] is { Start: > 0 } step; level++)
        {
            path.Append(level == 0 ? "" : ".").Append(JsonValues.Quote(text.Slice(step.Start, step.Length)))
                .Append(step.Place < 0 ? "" : $"[{step.Place}]");
        }

        return path.Length == 0 ? "" : $"{path}: ";
    }

    // Where the name of an object's field stands in the text, and in a list the place of what is read.
    private record struct Step(int Start, int Length, int Place);

    [InlineArray(JsonReader.DeepestNesting + 1)]
    private struct Steps
    {
        private Step _first;
    }
}

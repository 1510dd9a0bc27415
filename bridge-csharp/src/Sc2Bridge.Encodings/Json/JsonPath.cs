using System.Runtime.CompilerServices;
using System.Text;

namespace Sc2Bridge.Encodings.Json;

/// <summary>The reader's position in a text: the current field of each enclosing object.</summary>
internal struct JsonPath
{
    private PathFields _fields;
    private int _depth;

    /// <summary>Enters an object.</summary>
    public void Enter() => _fields[_depth++] = default;

    public void Leave() => _depth--;

    /// <summary>Sets the current field of the object.</summary>
    /// <param name="start">The offset of the field's name in the text.</param>
    /// <param name="length">The name's length in bytes.</param>
    public void SetField(int start, int length) => _fields[_depth - 1] = new PathField(start, length, -1);

    /// <summary>Moves to the next item of the field, which is a list.</summary>
    public void NextItem() => _fields[_depth - 1].Item++;

    /// <summary>The start of an error message, such as "frame.observation.rawData.units[3].pos.x: "; empty if the path has no field.</summary>
    public readonly string Prefix(ReadOnlySpan<byte> text)
    {
        var path = new StringBuilder();
        for (var level = 0; level < _depth && _fields[level] is { Start: > 0 } field; level++)
        {
            path.Append(level == 0 ? "" : ".").Append(JsonValues.Quote(text.Slice(field.Start, field.Length)))
                .Append(field.Item < 0 ? "" : $"[{field.Item}]");
        }

        return path.Length == 0 ? "" : $"{path}: ";
    }

    // The position of the field's name in the text, and the index of the current item if the field is a list.
    private record struct PathField(int Start, int Length, int Item);

    [InlineArray(JsonReader.DeepestNesting + 1)]
    private struct PathFields
    {
        private PathField _first;
    }
}

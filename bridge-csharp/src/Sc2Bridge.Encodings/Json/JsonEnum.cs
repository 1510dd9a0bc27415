using System.Collections.Concurrent;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <summary>The names of an enum.</summary>
internal sealed class JsonEnum
{
    private static readonly ConcurrentDictionary<EnumDescriptor, JsonEnum> Known = new();
    private readonly NameTable _table;
    private readonly int[] _numbers;

    private JsonEnum(EnumDescriptor descriptor)
    {
        Names = [.. descriptor.Values.Select(value => value.Name)];
        _numbers = [.. descriptor.Values.Select(value => value.Number)];
        _table = new NameTable(Names.Select((name, place) => (name, place)));
    }

    /// <summary>In the contract's order.</summary>
    public string[] Names { get; }

    /// <summary>The table of an enum.</summary>
    public static JsonEnum Of(EnumDescriptor descriptor) => Known.GetOrAdd(descriptor, static d => new(d));

    /// <summary>The number of a name.</summary>
    public bool TryFind(ReadOnlySpan<byte> name, out int number)
    {
        var place = _table.Find(name);
        number = place >= 0 ? _numbers[place] : 0;
        return place >= 0;
    }
}

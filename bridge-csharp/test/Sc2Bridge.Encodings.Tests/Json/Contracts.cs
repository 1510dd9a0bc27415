namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>The messages of both contracts.</summary>
internal static class Contracts
{
    /// <summary>Every one, the nested ones too.</summary>
    public static MessageDescriptor[] Messages { get; } =
        [.. Files().SelectMany(file => file.MessageTypes).SelectMany(WithNested)];

    private static IEnumerable<FileDescriptor> Files()
    {
        var seen = new HashSet<FileDescriptor>();
        var left = new Stack<FileDescriptor>([BridgeReflection.Descriptor]);
        while (left.TryPop(out var file))
        {
            if (seen.Add(file))
            {
                foreach (var needed in file.Dependencies)
                {
                    left.Push(needed);
                }
            }
        }

        return seen;
    }

    private static IEnumerable<MessageDescriptor> WithNested(MessageDescriptor message) =>
        message.NestedTypes.SelectMany(WithNested).Prepend(message);
}

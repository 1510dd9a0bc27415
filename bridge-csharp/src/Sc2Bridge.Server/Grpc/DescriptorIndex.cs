using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Server;

/// <summary>Finds the .proto files behind names, as server reflection asks for them.</summary>
internal sealed class DescriptorIndex
{
    private readonly Dictionary<string, FileDescriptor> _files = [];
    private readonly Dictionary<string, FileDescriptor> _symbols = [];
    private readonly HashSet<string> _messages = [];

    /// <summary>Takes in files and all that they import.</summary>
    public DescriptorIndex(params IEnumerable<FileDescriptor> roots)
    {
        foreach (var root in roots)
        {
            Add(root);
        }
    }

    /// <summary>Full names, in the order of the files.</summary>
    public List<string> Services { get; } = [];

    /// <summary>The file of that name, then all that it imports; null where there is none.</summary>
    public IReadOnlyList<ByteString>? File(string name) => _files.TryGetValue(name, out var file) ? WithImports(file) : null;

    /// <summary>The file that declares a message, enum, service or method, then all that it imports.</summary>
    public IReadOnlyList<ByteString>? FileOf(string symbol) =>
        _symbols.TryGetValue(symbol.TrimStart('.'), out var file) ? WithImports(file) : null;

    /// <summary>Whether there is a message of that full name.</summary>
    public bool HasMessage(string name) => _messages.Contains(name.TrimStart('.'));

    private static List<ByteString> WithImports(FileDescriptor file)
    {
        var seen = new HashSet<string>();
        var found = new List<ByteString>();
        Visit(file);
        return found;

        void Visit(FileDescriptor next)
        {
            if (seen.Add(next.Name))
            {
                found.Add(next.SerializedData);
                foreach (var import in next.Dependencies)
                {
                    Visit(import);
                }
            }
        }
    }

    private void Add(FileDescriptor file)
    {
        if (!_files.TryAdd(file.Name, file))
        {
            return;
        }

        foreach (var import in file.Dependencies)
        {
            Add(import);
        }

        foreach (var message in file.MessageTypes)
        {
            Add(message);
        }

        foreach (var type in file.EnumTypes)
        {
            _symbols[type.FullName] = file;
        }

        foreach (var service in file.Services)
        {
            Services.Add(service.FullName);
            _symbols[service.FullName] = file;
            foreach (var method in service.Methods)
            {
                _symbols[method.FullName] = file;
            }
        }
    }

    private void Add(MessageDescriptor message)
    {
        _symbols[message.FullName] = message.File;
        _messages.Add(message.FullName);
        foreach (var type in message.EnumTypes)
        {
            _symbols[type.FullName] = message.File;
        }

        foreach (var nested in message.NestedTypes)
        {
            Add(nested);
        }
    }
}

using Google.Protobuf;
using Sc2Bridge.Server.ReflectionV1;
using Question = Sc2Bridge.Server.ReflectionV1.ServerReflectionRequest.MessageRequestOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// <c>grpc.reflection.v1.ServerReflection</c>, and v1alpha, whose bytes are the same: with it <c>grpcurl</c> needs no
/// files.
/// </summary>
internal sealed class ReflectionService(DescriptorIndex index)
{
    public const string Name = "grpc.reflection.v1.ServerReflection";
    public const string OlderName = "grpc.reflection.v1alpha.ServerReflection";

    public async Task InfoAsync(GrpcCall call)
    {
        while (await call.ReadAsync(ServerReflectionRequest.Parser) is { } request)
        {
            await call.WriteAsync(Answer(request));
        }
    }

    internal ServerReflectionResponse Answer(ServerReflectionRequest request)
    {
        var response = new ServerReflectionResponse { ValidHost = request.Host, OriginalRequest = request };
        switch (request.MessageRequestCase)
        {
            case Question.FileByFilename when index.File(request.FileByFilename) is { } files:
                response.FileDescriptorResponse = Files(files);
                break;
            case Question.FileContainingSymbol when index.FileOf(request.FileContainingSymbol) is { } files:
                response.FileDescriptorResponse = Files(files);
                break;
            case Question.AllExtensionNumbersOfType when index.HasMessage(request.AllExtensionNumbersOfType):
                // None of the contracts has extensions.
                response.AllExtensionNumbersResponse =
                    new ExtensionNumberResponse { BaseTypeName = request.AllExtensionNumbersOfType };
                break;
            case Question.ListServices:
                response.ListServicesResponse = new ListServiceResponse();
                response.ListServicesResponse.Service.AddRange(
                    index.Services.Select(name => new ServiceResponse { Name = name }));
                break;
            case Question.None:
                response.ErrorResponse = Error(GrpcCode.InvalidArgument, "The request asks nothing that is known here.");
                break;
            default:
                response.ErrorResponse = Error(GrpcCode.NotFound, "Not found.");
                break;
        }

        return response;
    }

    private static FileDescriptorResponse Files(IReadOnlyList<ByteString> files)
    {
        var response = new FileDescriptorResponse();
        response.FileDescriptorProto.AddRange(files);
        return response;
    }

    private static ErrorResponse Error(GrpcCode code, string message) =>
        new() { ErrorCode = (int)code, ErrorMessage = message };
}

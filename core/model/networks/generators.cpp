#include "model/networks/networks.h"

#include <array>

namespace stagecraft {
namespace {

using Parameter = GeneratorParameter;

constexpr std::int64_t kMostTokens = 65'536;
constexpr std::int64_t kMostWidth = 65'536;

constexpr std::array kTransformer{
    Parameter{"layers", 2, 1, 128, "layers, each an attention and a feed-forward part"},
    Parameter{"tokens", 128, 1, kMostTokens, "tokens of a sequence"},
    Parameter{"width", 512, 1, kMostWidth, "numbers of a token"},
    Parameter{"heads", 8, 1, 256, "attention heads"},
    Parameter{"head", 64, 1, 1024, "numbers of a query, key or value of a head"},
    Parameter{"ff", 2048, 1, 262'144, "hidden width of the feed-forward part"},
};

constexpr std::array kMoe{
    Parameter{"layers", 1, 1, 128, "layers of experts"},
    Parameter{"tokens", 32, 1, kMostTokens, "tokens of a sequence"},
    Parameter{"width", 512, 1, kMostWidth, "numbers of a token"},
    Parameter{"experts", 16, 1, 1024, "routed experts"},
    Parameter{"active", 4, 1, 256, "routed experts that each token chooses"},
    Parameter{"shared", 2, 0, 64, "shared experts, which all tokens go through, as one wider expert"},
    Parameter{"hidden", 256, 1, kMostWidth, "hidden width of an expert"},
};

constexpr std::array kMla{
    Parameter{"layers", 1, 1, 128, "layers of attention"},
    Parameter{"tokens", 128, 1, kMostTokens, "tokens of a sequence"},
    Parameter{"width", 1024, 1, kMostWidth, "numbers of a token"},
    Parameter{"heads", 8, 1, 256, "attention heads"},
    Parameter{"query-rank", 384, 1, kMostWidth, "width of the latent query"},
    Parameter{"latent", 256, 1, kMostWidth, "width of the latent key and value"},
    Parameter{"head", 64, 1, 1024, "numbers of a query and key of a head without position"},
    Parameter{"rotary", 32, 2, 1024, "numbers with position of a query, and of the key of all heads; even"},
    Parameter{"value", 64, 1, 1024, "numbers of a value of a head"},
};

constexpr std::array kUNet{
    Parameter{"image", 32, 1, 1024, "height and width of the latent image"},
    Parameter{"channels", 64, 32, 4096, "channels of the first level, a multiple of 32 and of heads"},
    Parameter{"levels", 2, 1, 6, "levels, each of half the height and width"},
    Parameter{"heads", 4, 1, 256, "attention heads"},
    Parameter{"text", 77, 1, kMostTokens, "tokens of the text"},
    Parameter{"text-width", 512, 1, kMostWidth, "numbers of a token of the text"},
};

constexpr std::array kHeads{
    Parameter{"image", 256, 8, 8192, "height and width of the image"},
    Parameter{"levels", 3, 1, 6, "feature levels, from an eighth of the image on"},
    Parameter{"channels", 128, 1, 4096, "channels of a level and of its towers"},
    Parameter{"convs", 4, 1, 16, "convolutions of a tower before its output"},
    Parameter{"classes", 80, 1, 10'000, "classes of objects"},
    Parameter{"anchors", 9, 1, 64, "boxes at each place: 9 as in RetinaNet, 1 as in FCOS"},
};

constexpr std::array kDlrm{
    Parameter{"tables", 6, 1, 128, "tables of categories"},
    Parameter{"rows", 10'000, 1, 10'000'000, "rows of a table"},
    Parameter{"width", 64, 1, 4096, "numbers of a row, and of the bottom network's result"},
    Parameter{"bag", 4, 1, 1024, "rows that are looked up in each table and added"},
    Parameter{"bottom", 512, 2, kMostWidth, "hidden width of the bottom network; its second layer has half of it"},
    Parameter{"top", 1024, 2, kMostWidth, "hidden width of the top network; its second layer has half of it"},
};

constexpr std::array kGenerators{
    Generator{"transformer", "Transformer: layers of attention and feed-forward parts", kTransformer, transformer},
    Generator{"moe", "Mixture of experts: routed experts beside shared ones", kMoe, mixtureOfExperts},
    Generator{"mla", "Multi-head latent attention, as in DeepSeek-V2", kMla, multiHeadLatentAttention},
    Generator{"unet", "UNet of a diffusion model: residual parts, time, attention, skips", kUNet, unet},
    Generator{"heads", "Detector: class and box heads of all feature levels side by side", kHeads, detectionHeads},
    Generator{"dlrm", "Recommender: table lookups beside a bottom network, pairs, a top network", kDlrm, recommender},
};

} // namespace

std::span<const Generator> generatorRows()
{
    return kGenerators;
}

} // namespace stagecraft
